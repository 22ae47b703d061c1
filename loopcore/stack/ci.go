package stack

import (
	"path"
	"sort"
	"strings"

	"fixloop/loopcore"
)

// ciCommand is one simple command that CI runs.
type ciCommand struct {
	command
	dir      string // relative to the repository
	file     string
	at       int // 1-based line in file
	job      string
	setup    string // configure commands that came before in the same job
	advisory bool   // its failure is allowed
	offside  bool   // a job for another system, an old tool chain, coverage
	doubt    string // why it may not hold elsewhere
	stale    bool   // a vendor that the repository seems to have left
	nat      *nature
}

// Pipelines in order of precedence; the first vendor with commands is the live
// one, the others are stale.
var Pipelines = []Pipeline{
	{"github", func(r *repo) []string { return r.workflowFiles(".github/workflows") }, readGitHub},
	{"forgejo", func(r *repo) []string {
		return append(r.workflowFiles(".forgejo/workflows"), r.workflowFiles(".gitea/workflows")...)
	}, readGitHub},
	{"gitlab", only(".gitlab-ci.yml", ".gitlab-ci.yaml"), readGitLab},
	{"circleci", only(".circleci/config.yml"), readCircle},
	{"azure", only("azure-pipelines.yml", ".azure-pipelines.yml", "azure-pipelines.yaml", ".azure/pipelines.yml", "build/azure-pipelines.yml"), readAzure},
	{"buildkite", only(".buildkite/pipeline.yml", ".buildkite/pipeline.yaml"), readSteps("command", "commands")},
	{"jenkins", only("Jenkinsfile"), readJenkins},
	{"cirrus", only(".cirrus.yml"), readSteps("script", "test_script", "build_script", "lint_script", "check_script")},
	{"woodpecker", only(".woodpecker.yml", ".woodpecker.yaml", ".woodpecker/test.yml", ".woodpecker/build.yml"), readSteps("commands")},
	{"drone", only(".drone.yml"), readSteps("commands")},
	{"bitbucket", only("bitbucket-pipelines.yml"), readSteps("script")},
	{"appveyor", only("appveyor.yml", ".appveyor.yml"), readSteps("test_script", "build_script")},
	{"travis", only(".travis.yml"), readTravis},
}

// maxPipelineFiles bounds the CI files read of one vendor.
const maxPipelineFiles = 40

// readPipelines reads what CI runs, best files first.
func (r *repo) readPipelines() {
	live := false
	for _, p := range Pipelines {
		files := p.Files(r)
		if len(files) > maxPipelineFiles {
			files = files[:maxPipelineFiles]
			r.warn("there are more " + p.Name + " CI files than detection reads")
		}
		found := false
		for _, f := range files {
			for _, c := range p.Read(r, f) {
				if len(c.words) == 0 || strings.HasPrefix(c.dir, unresolved) || strings.HasPrefix(c.dir, "..") || strings.HasPrefix(c.dir, "/") {
					continue
				}
				c.stale = live
				r.ci = append(r.ci, c)
				found = true
			}
		}
		live = live || found
	}
}

// workflowFiles lists YAML files of a folder, the ones named like checks first.
func (r *repo) workflowFiles(dir string) []string {
	files := append(r.match(dir, "*.yml"), r.match(dir, "*.yaml")...)
	sort.SliceStable(files, func(i, j int) bool {
		a, b := workflowRank(files[i]), workflowRank(files[j])
		if a != b {
			return a < b
		}
		return files[i] < files[j]
	})
	return files
}

func workflowRank(file string) int {
	words := nameWords(strings.TrimSuffix(path.Base(file), path.Ext(file)))
	rank := 5
	for _, w := range words {
		switch w {
		case "ci", "test", "tests", "testing", "build", "main", "check", "checks", "pr", "unit", "go", "rust", "python", "node", "nodejs", "continuous":
			rank = min(rank, 1)
		case "lint", "linter", "style", "quality", "verify", "types", "typecheck", "static":
			rank = min(rank, 2)
		}
	}
	for _, w := range words {
		switch w {
		case "release", "publish", "deploy", "docs", "doc", "pages", "codeql", "stale", "nightly", "bench", "benchmark", "benchmarks", "fuzz",
			"coverage", "labeler", "scorecard", "security", "cron", "downstream", "examples", "wheels", "dependabot", "windows", "macos", "docker",
			"scheduled", "e2e", "compat", "upstream":
			rank += 10
		}
	}
	return rank
}

// ciScript takes a script of a CI file apart. line is the file's line on which
// the script's first line stands.
func (r *repo) ciScript(text, dir string, vars map[string]string, file string, line int, like ciCommand) []ciCommand {
	var out []ciCommand
	setup := like.setup
	for _, c := range splitShell(text, vars) {
		k := like
		k.command, k.file, k.at, k.setup = c, file, line+c.line-1, setup
		k.dir = path.Join(dir, c.dir)
		if c.env == nil {
			k.env = map[string]string{}
		}
		for _, v := range []string{"TOXENV", "NOXSESSION", "CI"} {
			if vars[v] != "" && k.env[v] == "" {
				k.env[v] = vars[v]
			}
		}
		if contains(c.words, unresolved) {
			k.words = nil
			for _, w := range c.words {
				if w != unresolved {
					k.words = append(k.words, w)
				}
			}
			k.text = strings.Join(strings.Fields(strings.ReplaceAll(" "+c.text+" ", " "+unresolved+" ", " ")), " ")
			k.doubt = "an argument of it comes from CI's matrix and was left out"
		}
		if strings.Contains(c.text, unresolved) && k.doubt == "" {
			k.doubt = "a value of it comes from CI's matrix"
		}
		out = append(out, k)
	}
	return out
}

// ciReach says which declared tasks CI runs: named itself, or reached.
func (r *repo) ciReach() (reached, named map[*task]bool) {
	reached, named = map[*task]bool{}, map[*task]bool{}
	for i := range r.ci {
		c := &r.ci[i]
		n := r.ciNature(c)
		if c.advisory || c.stale && len(named) > 0 {
			continue
		}
		for _, t := range n.direct {
			named[t] = true
		}
		for t := range n.tasks {
			reached[t] = true
		}
	}
	return reached, named
}

func (r *repo) ciNature(c *ciCommand) *nature {
	if c.nat == nil {
		text := c.text
		n := &nature{tasks: map[*task]bool{}}
		if ts, ok := r.callees(c.words, c.dir, c.env); ok {
			n.direct = ts
			n.real = true
			for _, t := range ts {
				r.followTask(n, t, 1)
			}
			n.workspace(c.command, c.dir, nil)
		} else {
			r.follow(n, text, c.dir, c.env, nil, 0)
		}
		c.nat = n
	}
	return c.nat
}

// fromPipelines offers CI's own commands.
func fromPipelines(r *repo) []candidate {
	var out []candidate
	for i := range r.ci {
		c := &r.ci[i]
		if c.advisory || c.fallback || !within(r.base, c.dir) {
			continue
		}
		if c.dir != r.base && c.setup == "" && !r.hasDir(c.dir) {
			continue // a folder that CI makes: another project's sources
		}
		n := r.ciNature(c)
		kinds := n.kinds()
		for _, k := range loopcore.Kinds {
			kind := k
			partial := false
			if !kinds[k] {
				partial = n.hasPartial(k)
				if !partial {
					continue
				}
			}
			if named := ciTaskName(n); named != "" && (dangerousName(named) != "" || beside(named)) {
				continue
			}
			if n.mutates && k != kBuild || partial && k == kBuild || n.affected && len(kinds) > 1 {
				continue
			}
			if nk, _ := kindOfName(ciTaskName(n)); nk != "" && nk != k {
				continue // its name says what it is for
			}
			if k == kBuild && len(n.direct) == 0 && strings.HasSuffix(c.words[0], ".sh") && !strings.Contains(c.words[0], "build") {
				continue // a check that builds on its way
			}
			out = append(out, r.ciCandidate(c, n, kind, partial, len(kinds), i))
		}
	}
	return out
}

func ciTaskName(n *nature) string {
	if len(n.direct) == 0 {
		return ""
	}
	return n.direct[0].name
}

func (n *nature) hasPartial(k loopcore.Kind) bool {
	for _, l := range n.leaves {
		if l.kind == k {
			return true
		}
	}
	return false
}

func (r *repo) ciCandidate(c *ciCommand, n *nature, k loopcore.Kind, partial bool, kinds, index int) candidate {
	cmd, warns := unmask(withoutReporter(c.text))
	cmd = r.tidyCI(cmd, c)
	out := candidate{kind: k, dir: c.dir, nat: n, ci: true, conf: 0.85, rank: index, src: loopcore.Source{Kind: "ci", File: c.file, Line: c.at}, warnings: warns}
	if k == kBuild && c.setup != "" {
		cmd = c.setup + " && " + cmd
	}
	out.command = cmd
	if c.masked {
		out.warnings = append(out.warnings, "CI throws its exit code away; here it counts")
		out.conf = lower(out.conf, 0.1)
	}
	for _, l := range n.leaves {
		out.format = out.format || l.kind == k && l.format
	}
	odd := strings.Contains(out.command, "../") || strings.Contains(out.command, "$") || strings.Contains(out.command, unresolved)
	for _, d := range []struct {
		is   bool
		tier int
		rank int
		conf float64
	}{
		{c.guarded, 0, 3000, 0.2}, {c.doubt != "", 0, 2000, 0.2}, {partial, tierForeign, 9000, 0.2}, {c.stale, tierSubset, 40000, 0.3},
		{kinds > 1 && k != kTest, tierWeak, 5000, 0.1}, {out.format && k == kLint, 0, 4000, 0}, {c.dir != r.base, 0, 500, 0},
		{subsetCommand(n), tierSubset, 6000, 0.1}, {odd, tierSubset, 6000, 0.2}, {c.offside, 0, 4500, 0},
		{narrowed(c.words), tierSubset, 2500, 0}, {workflowRank(c.file) >= 10, tierSubset, 3000, 0.1},
		{r.foreignTool(n, k), tierForeign, 3000, 0.1},
		{strings.Contains(strings.Join(c.words, " "), " +"), 0, 1500, 0}, {hasFlag(c.words, "--no-default-features"), 0, 1200, 0},
	} {
		if d.is {
			out.tier = max(out.tier, d.tier)
			out.rank += d.rank
			out.conf = lower(out.conf, d.conf)
		}
	}
	if c.doubt != "" {
		out.warnings = append(out.warnings, c.doubt)
	}
	if n.watches && n.once != "" {
		out.command += " " + n.once
	}
	return out
}

// tidyCI takes out what only serves CI: a tool's place, sites and documents
// beside the build, the matrix of a test environment.
func (r *repo) tidyCI(cmd string, c *ciCommand) string {
	if len(c.words) == 0 {
		return cmd
	}
	w := c.words[0]
	for _, pre := range []string{"bin/", "./bin/", "./"} {
		rest, ok := strings.CutPrefix(cmd, pre)
		if !ok || !strings.HasPrefix(w, pre) || r.has(path.Join(c.dir, w)) {
			continue
		}
		if classify(append([]string{programName(w)}, c.words[1:]...)).kind != "" {
			return rest
		}
	}
	switch programName(w) {
	case "mvn", "mvnw":
		var keep []string
		goals := 0
		for _, x := range strings.Fields(cmd) {
			if x == "site" || strings.HasPrefix(x, "site:") || strings.HasPrefix(x, "javadoc:") {
				goals++
				continue
			}
			keep = append(keep, x)
		}
		if goals > 0 {
			return strings.Join(keep, " ")
		}
	case "hatch":
		if len(c.words) > 1 && c.words[1] == "test" {
			return "hatch test"
		}
	case "gradle", "gradlew":
		return strings.ReplaceAll(strings.ReplaceAll(cmd, " dokkaHtml", ""), " javadoc", "")
	}
	return cmd
}

// toolStacks says which stack a tool belongs to.
var toolStacks = map[string]string{"cmake": "cmake", "ctest": "cmake", "ninja": "cmake", "meson": "meson", "cargo": "rust", "rustc": "rust",
	"go": "go", "golangci-lint": "go", "gofmt": "go", "staticcheck": "go", "rubocop": "ruby", "rspec": "ruby", "rake": "ruby",
	"standardrb": "ruby", "rails": "ruby", "pytest": "python", "tox": "python", "nox": "python", "ruff": "python", "flake8": "python",
	"mypy": "python", "black": "python", "pylint": "python", "pyright": "python",
	"bazel": "bazel", "bazelisk": "bazel", "mvn": "maven", "mvnw": "maven", "gradle": "gradle", "gradlew": "gradle", "mix": "elixir",
	"dotnet": "dotnet", "swift": "swift", "xcodebuild": "swift", "dart": "dart", "flutter": "dart", "phpunit": "php", "phpstan": "php",
	"jest": "node", "vitest": "node", "mocha": "node", "eslint": "node", "prettier": "node", "tsc": "node", "biome": "node", "ava": "node",
	"xo": "node"}

// foreignTool says whether what a command runs for a kind belongs to another
// stack than the repository's main one.
func (r *repo) foreignTool(n *nature, k loopcore.Kind) bool {
	main := r.mainStack()
	if main == "" {
		return false
	}
	for _, l := range n.leaves {
		if s := toolStacks[l.tool]; l.kind == k && s != "" {
			return s != main
		}
	}
	return false
}

// mainStack is the stack of the base that has tests by its own default; of
// several the one that CI tests first, else the first in the table.
func (r *repo) mainStack() string {
	if r.main != nil {
		return *r.main
	}
	name := ""
	r.main = &name
	var tested []string
	for _, s := range r.stacks {
		if !r.hasMarker(s, r.base) {
			continue
		}
		for _, c := range s.Default(r, r.base) {
			if c.kind == kTest && !contains(tested, s.Name) {
				tested = append(tested, s.Name)
			}
		}
	}
	switch len(tested) {
	case 0:
		return ""
	case 1:
		name = tested[0]
	default:
		name = r.testedByCI(tested)
	}
	return name
}

// testedByCI is the one of several stacks whose tests CI runs first.
func (r *repo) testedByCI(tested []string) string {
	for i := range r.ci {
		c := &r.ci[i]
		if c.advisory || c.offside || c.dir != r.base || workflowRank(c.file) >= 10 {
			continue
		}
		for _, l := range r.ciNature(c).leaves {
			if s := toolStacks[l.tool]; l.kind == kTest && !l.partial && contains(tested, s) {
				return s
			}
		}
	}
	return tested[0]
}

// narrowed says whether the command names a profile, platform or module of a build.
func narrowed(words []string) bool {
	return hasFlag(words, "--projects", "-pl", "--activate-profiles", "--target", "--platform", "--tags", "-tags", "--feature-powerset", "--each-feature", "--directory", "--prefix", "--cwd") || anyPrefix(words, "-P")
}

// subsetCommand says whether the task that CI calls only runs a part.
func subsetCommand(n *nature) bool {
	for _, t := range n.direct {
		for _, w := range nameWords(t.name) {
			if subsetWords[w] {
				return true
			}
		}
	}
	return false
}

// maskingFlags make a tool exit 0 whatever it finds. They are taken out of the
// recorded command.
var maskingFlags = []string{"-Dmaven.test.failure.ignore=true", "-Dmaven.test.failure.ignore", "--exit-zero", "--issues-exit-code=0",
	"--issues-exit-code 0", "--mute-exit-status", "-fae -Dmaven.test.failure.ignore", "--passWithNoTests", "--continue-on-error",
	"--no-bail-on-failure"}

var reporterFlag = loopcore.Lazily(` --(log-junit|log-teamcity|coverage-(clover|openclover|cobertura|html|xml|php|crap4j))[= ]\S+|` +
	` (--out-format|--output-format|--format|-f|--formatter|--reporter)[= ]\S*(github|checkstyle|codeclimate|junit)\S*`)

// withoutReporter drops flags that only serve CI's own display.
func withoutReporter(cmd string) string { return reporterFlag.ReplaceAllString(cmd, "") }

// unmask takes out of a command what would hide its failure.
func unmask(cmd string) (string, []string) {
	var warns []string
	for _, f := range maskingFlags {
		if f == "--passWithNoTests" {
			if strings.Contains(cmd, f) {
				warns = append(warns, "it passes when no test is found (--passWithNoTests)")
			}
			continue
		}
		if i := strings.Index(cmd, " "+f); i >= 0 {
			end := i + 1 + len(f)
			if end == len(cmd) || cmd[end] == ' ' {
				cmd = cmd[:i] + cmd[end:]
				warns = append(warns, f+" was taken out: it hides failures")
			}
		}
	}
	return cmd, warns
}
