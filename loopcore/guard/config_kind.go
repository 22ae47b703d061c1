package guard

import (
	"fixloop/loopcore"
	"fmt"
	"strconv"
	"strings"
)

// isConfig says whether a path holds settings of runners, linters, type checkers, builds or CI.
func isConfig(p string) bool {
	b := strings.ToLower(baseName(p))
	switch b {
	case "makefile", "gnumakefile", "justfile", ".justfile", "rakefile", "gemfile", "package.json", "composer.json", "cargo.toml", "go.mod",
		"go.work", "pom.xml", "cmakelists.txt", "mix.exs", "package.swift", "noxfile.py", "tasks.py", "taskfile.yml", "taskfile.yaml",
		"jenkinsfile", "dockerfile", ".travis.yml", ".gitlab-ci.yml", "azure-pipelines.yml", "bitbucket-pipelines.yml", ".drone.yml",
		"appveyor.yml", ".appveyor.yml", "cloudbuild.yaml", "buildspec.yml", "lefthook.yml", ".lefthook.yml", "lefthook.yaml",
		".pre-commit-config.yaml", ".pre-commit-hooks.yaml", ".gitignore", ".gitattributes", ".gitmodules", ".rspec", ".simplecov", ".credo.exs",
		".dialyzer_ignore.exs", ".formatter.exs", ".shellcheckrc", ".shellspec", ".batsrc", ".eslintignore", ".prettierignore", ".rubocop.yml",
		"ctestcustom.cmake", "cmakepresets.json", "build.bazel", "meson.build", "turbo.json", "nx.json", "project.json", "lerna.json",
		".lintstagedrc", ".lintstagedrc.json", ".huskyrc", "setup.py", "setup.cfg", "tox.ini", "pyproject.toml", ".fixloop.yaml", ".fixloop.yml",
		"gradle.properties", ".npmrc", "go.env", "phpunit.xml", "phpunit.xml.dist", ".golangci.yml", "runsettings", "global.json",
		"test-suppressions.json", "makefile.am", "deny.toml", "audit.toml", "configure.ac", "magefile.go", "build.zig", "mise.toml", ".mise.toml",
		".bazelrc", ".envrc", ".env", "procfile", "earthfile", "buildfile", "bunfig.toml", ".semaphore.yml", "dangerfile", ".editorconfig",
		"steepfile", "gcovr.cfg", ".slather.yml", "fastfile", "build.sbt", "build.cake", "conanfile.txt", "conanfile.py", "pipfile", "rust-toolchain.toml":
		return true
	case "config":
		return hasSeg(p, "sorbet")
	}
	if isCI(p) || strings.HasPrefix(p, ".github/workflows/") || strings.HasPrefix(p, ".github/actions/") || strings.HasPrefix(p, ".circleci/") || hasSeg(p, ".husky", ".githooks", ".cargo", ".mvn", ".buildkite", ".config", ".woodpecker") || isHook(p) {
		return true
	}
	if hasSuffixAny(b, ".gradle", ".gradle.kts", ".mk", ".cmake", ".csproj", ".fsproj", ".vbproj", ".runsettings", ".ruleset", ".xctestplan", ".neon", ".neon.dist", ".gemspec", ".pth", ".sln") || strings.HasPrefix(b, "directory.build.") {
		return true
	}
	if strings.HasPrefix(b, "tsconfig") || isBaseline(p) {
		return true
	}
	switch b { // of tools whose settings may lie anywhere
	case "lint.xml", "build.xml", "testng.xml", "junit-platform.properties", "kotest.properties", "grumphp.yml", ".php-cs-fixer.php", ".php_cs", ".php_cs.dist", ".php-cs-fixer.dist.php", ".swift-format",
		"vitest.workspace.ts", "vitest.workspace.js", "nuget.config", ".cirrus.yml", ".woodpecker.yml", "build.rs", "karma.conf.js", "build",
		"settings.gradle", "settings.gradle.kts", ".globalconfig":
		return true
	}
	return (configRE.MatchString("/"+strings.ToLower(p)) || namesTool(b)) && !hasSeg(p, "src", "lib", "app")
}

var configRE = lazily(`/((jest|vitest|vite|playwright|cypress|karma|wdio|babel|rollup|webpack|ava|nyc|stryker|codecept|eslint|prettier|biome|oxlint|` +
	`tslint|stylelint|commitlint)[\w.-]*\.(config|conf|setup)\.\w+|\.(eslintrc|mocharc|nycrc|c8rc|babelrc|prettierrc|stylelintrc|` +
	`oxlintrc|taprc|swcrc)(\.\w+)?|biome\.jsonc?|\.?(mypy|pytest|ruff|pylintrc|flake8|coveragerc|bandit)(\.ini|\.toml|rc)?|` +
	`pyrightconfig\.json|\.golangci\.\w+|nextest\.toml|clippy\.toml|\.clippy\.toml|rustfmt\.toml|phpstan[\w.-]*|psalm[\w.-]*\.xml|` +
	`\.?phpcs\.xml(\.dist)?|infection\.json5?|phpunit[\w.-]*\.xml|\.?rubocop[\w.-]*\.ya?ml|\.swiftlint\.ya?ml|\.swiftformat|` +
	`detekt[\w.-]*|lint\.xml|\.clang-tidy|\.?codecov\.ya?ml|checkstyle[\w.-]*\.xml|pmd[\w.-]*\.xml|spotbugs[\w.-]*\.xml|` +
	`xunit\.runner\.json|coverlet[\w.]*|\.jshintrc|\.yamllint(\.ya?ml)?|\.hadolint\.ya?ml|\.markdownlint[\w.-]*|` +
	`sonar-project\.properties|junit-platform\.properties|\.reek\.yml|\.pa11yci|renovate\.json|knip\.json|deno\.jsonc?|` +
	`ava\.config\.\w+|\.globalconfig|cypress\.json|tslint\.json)$`)

// isBaseline says whether a path holds accepted findings of a tool.
func isBaseline(p string) bool {
	b := strings.ToLower(baseName(p))
	switch b {
	case ".rubocop_todo.yml", "eslint-suppressions.json", ".eslint-suppressions.json", "detekt-baseline.xml", "lint-baseline.xml",
		"mypy-baseline.txt", ".mypy-baseline.txt", "ktlint-baseline.xml", ".dialyzer_ignore.exs", "globalsuppressions.cs",
		".swiftlint-baseline.json", "suppressions.xml", ".gitleaksignore", ".trivyignore", ".snyk", ".secrets.baseline", "spotbugs-exclude.xml",
		"checkstyle-suppressions.xml", "findbugs-exclude.xml", ".betterer.results", "known_failures.txt", "known-failures.txt", "skiplist.txt",
		".semgrepignore", ".bandit-baseline.json", "clippy-baseline.txt", ".bearer.ignore", "valgrind.supp", "lsan.supp", "tsan.supp", "asan.supp",
		"ubsan.supp", ".erb_lint_todo.yml", ".haml-lint_todo.yml", ".reek_todo.yml", ".todo.reek", "oxlint-suppressions.json":
		return true
	}
	if l := strings.ToLower(p); strings.HasPrefix(b, "baseline") && hasAny(l, "detekt/", "ktlint/", "phpstan/", "psalm/", "lint/") {
		return true
	}
	return hasAny(b, "baseline") && hasAny(b, "phpstan", "psalm", "detekt", "ktlint", "lint", "mypy", "pyright", "rubocop", "bandit", "swiftlint", "phan", "tsc", "eslint", "pylint", "flake8", "basedpyright", "clang-tidy", "credo", "checkstyle", "pmd") || strings.HasSuffix(b, ".supp") || strings.HasSuffix(b, "_supp") || strings.HasSuffix(b, ".suppressions") || strings.HasSuffix(b, "suppressions.txt") || strings.HasSuffix(b, "-suppressions.json") || strings.HasSuffix(b, "-suppressions.xml")
}

func first(vs []string) string {
	if len(vs) == 0 {
		return ""
	}
	return strings.Trim(strings.TrimSpace(vs[0]), `"'`)
}

func show(vs []string) string {
	if len(vs) == 0 {
		return "(absent)"
	}
	return clip(strings.Join(vs, ", "), 100)
}

func truthy(s string) bool {
	switch strings.ToLower(s) {
	case "true", "yes", "on", "1", "always", "all":
		return true
	}
	return false
}

func falsy(s string) bool {
	switch strings.ToLower(s) {
	case "false", "no", "off", "0", "none", "never", "ignore", "disable", "disabled", "skip", "null", "nil", "allow":
		return true
	}
	return false
}

// amount reads a number, a percentage or a duration in seconds.
func amount(s string) (float64, bool) {
	s = strings.ReplaceAll(strings.ReplaceAll(strings.TrimSpace(s), "_", ""), `"`, "")
	unit := 1.0
	for _, u := range []struct {
		suffix string
		f      float64
	}{{"ms", 0.001}, {" kB", 1e3}, {" KB", 1e3}, {" MB", 1e6}, {"%", 1}, {"s", 1}, {"m", 60}, {"min", 60}, {"h", 3600}, {".toBigDecimal()", 1}, {"f", 1}} {
		if t, ok := strings.CutSuffix(s, u.suffix); ok && t != "" && isDigit(t[len(t)-1]) {
			s, unit = t, u.f
			break
		}
	}
	if i := strings.IndexByte(s, '*'); i > 0 {
		x, okX := amount(s[:i])
		y, okY := amount(s[i+1:])
		return x * y, okX && okY
	}
	v, err := strconv.ParseFloat(s, 64)
	return v * unit, err == nil
}

// level ranks severities; -1 is none.
func level(s string) int {
	switch strings.ToLower(strings.Trim(s, `"' `)) {
	case "off", "0", "none", "allow", "false", "ignore", "silent", "suppress", "disabled", "null", "nothing", "lenient":
		return 0
	case "summary", "hint", "info", "information", "1", "warn", "warning", "suggestion", "note", "convention", "refactor":
		return 1
	case "error", "2", "deny", "fatal", "true", "on", "enabled", "raise", "fail":
		return 2
	case "forbid":
		return 3
	}
	if strings.HasSuffix(strings.ToLower(s), ":none") || strings.HasSuffix(strings.ToLower(s), ":silent") {
		return 0
	}
	return -1
}

// word ranks named strictness.
func word(s string) int {
	switch strings.ToLower(strings.Trim(s, `"'`)) {
	case "strict", "all", "latest-all", "allenabledbydefault":
		return 4
	case "enable", "recommended", "latest-recommended", "latest", "preview":
		return 3
	case "standard", "warnings", "annotations", "default", "minimum", "latest-minimum":
		return 2
	case "basic":
		return 1
	}
	return 0
}

// keyLine finds the line of a key's last part and value.
func keyLine(text, key string, vals []string) int {
	short := key[strings.LastIndexAny(key, ".@")+1:]
	best := 0
	for i, l := range strings.Split(text, "\n") {
		if !strings.Contains(l, short) && !(len(vals) > 0 && vals[len(vals)-1] != "" && strings.Contains(l, vals[len(vals)-1])) {
			continue
		}
		if best == 0 || strings.Contains(l, short) && len(vals) > 0 && strings.Contains(l, vals[len(vals)-1]) {
			best = i + 1
		}
	}
	return best
}

// baselineFile judges files of accepted findings: C11.
func (d *diff) baselineFile(f *fileDiff) {
	if f.new == nil {
		return
	}
	a, b := entries(data(f.old)), entries(data(f.new))
	gone := map[string]int{}
	for _, l := range a {
		gone[l]++
	}
	extra := 0
	for _, l := range b {
		if gone[l] > 0 {
			gone[l]--
			continue
		}
		extra++
	}
	if extra > 0 && (len(b) > len(a) || acceptedTimes(b) > acceptedTimes(a) && len(b) == len(a) || f.old == nil || strings.Count(string(data(f.new)), "{") > strings.Count(string(data(f.old)), "{")) {
		sev := loopcore.SevBlock
		if !d.inLoop() && f.old != nil && d.upgraded() || d.sweeping() {
			sev = loopcore.SevHuman // a new version of the tool finds more, or in other code
		}
		d.report("C11", sev, f.path(), 0, fmt.Sprintf("accepted findings grew: %d entries are new", extra))
	} else if extra > 0 {
		d.report("C11", loopcore.SevHuman, f.path(), 0, "accepted findings changed")
	}
}

// timesRE is how often an entry of a baseline may occur.
var timesRE = lazily(`\bcount"?[:=]\s*"?(\d+)`)

// acceptedTimes sums how often the entries may occur.
func acceptedTimes(lines []string) float64 {
	sum := 0.0
	for _, m := range timesRE.FindAllStringSubmatch(strings.Join(lines, "\n"), -1) {
		n, _ := amount(m[1])
		sum += n
	}
	return sum
}

func entries(b []byte) []string {
	var out []string
	for _, l := range strings.Split(string(b), "\n") {
		l = strings.TrimSpace(l)
		if len(l) > 2 && !strings.HasPrefix(l, "#") && !strings.HasPrefix(l, "//") && !strings.HasPrefix(l, "<?xml") && !strings.HasPrefix(l, "</") {
			out = append(out, l)
		}
	}
	return out
}

// xmlPlugins reports checking plugins that left a build file: C03, C05.
func (d *diff) xmlPlugins(f *fileDiff, before, after settings) {
	if f.old == nil || baseName(f.path()) != "pom.xml" {
		return
	}
	has := func(s settings, name string) bool {
		for k := range s {
			if strings.Contains(k, "plugin["+name+"]") {
				return true
			}
		}
		return false
	}
	for _, name := range [...]string{"maven-checkstyle-plugin", "maven-pmd-plugin", "spotbugs-maven-plugin", "jacoco-maven-plugin",
		"maven-enforcer-plugin", "errorprone", "maven-failsafe-plugin", "maven-surefire-plugin", "spotless-maven-plugin", "detekt-maven-plugin",
		"ktlint-maven-plugin", "animal-sniffer-maven-plugin", "pitest-maven"} {
		if has(before, name) && !has(after, name) {
			d.report("C03", loopcore.SevBlock, f.path(), 0, "the plugin "+name+" was removed")
		}
	}
}
