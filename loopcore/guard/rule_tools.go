package guard

import (
	"fmt"
	"strconv"
	"strings"

	"fixloop/loopcore"
)

// localSourceRE takes a dependency from a folder or a repository.
var localSourceRE = lazily(`^\.{0,2}/|\bpath\s*[:=]|@ ?file:|git\s*[:=]|github:|ProjectReference|\.\./|"\./`)

// localFeedRE is a feed of packages in a folder.
var localFeedRE = lazily(`<add key="[^"]*" value="\.?[./\\]`)

// toolSources reports test and lint tools that a manifest takes from elsewhere,
// sets back, or drops: C12.
func (d *diff) toolSources(f *fileDiff) {
	if f.old == nil || f.new == nil {
		return
	}
	switch b := baseName(f.path()); {
	case strings.HasPrefix(b, "requirements") && ext(b) == ".txt", b == "Gemfile", b == "mix.exs", b == "Cargo.toml", b == "Pipfile",
		hasSuffixAny(b, ".csproj", ".fsproj", "Packages.props"), strings.EqualFold(b, "nuget.config"), strings.HasSuffix(b, ".gemspec"),
		b == "pubspec.yaml", b == "Podfile", strings.HasPrefix(b, "conanfile."), b == "vcpkg.json", b == "build.sbt":
	default:
		return
	}
	came, went := addedText(string(f.old.Data), string(f.new.Data)), addedText(string(f.new.Data), string(f.old.Data))
	tool := func(l string) string {
		m := testToolRE.FindStringSubmatch(strings.ToLower(strings.NewReplacer(" ", "/", "{", "/", "=", "/").Replace(l)))
		if m == nil {
			return ""
		}
		return m[2]
	}
	fresh := map[string]string{}
	section := ""
	for _, l := range strings.Split(came, "\n") {
		if strings.HasPrefix(l, "[patch") {
			section = "patch"
		}
		if t := tool(l); t != "" {
			fresh[t] = l
			if localSourceRE.MatchString(l) || section != "" {
				d.report("C12", loopcore.SevBlock, f.path(), lineOf(string(f.new.Data), l), "a test tool comes from elsewhere: "+clip(l, 100))
			}
		}
		if strings.EqualFold(baseName(f.path()), "nuget.config") && localFeedRE.MatchString(l) {
			d.report("C12", loopcore.SevHuman, f.path(), lineOf(string(f.new.Data), l), "packages come from a folder: "+clip(l, 100))
		}
	}
	for _, l := range strings.Split(went, "\n") {
		t := tool(l)
		if t == "" {
			continue
		}
		now, kept := fresh[t]
		switch {
		case !kept && !strings.Contains(strings.ToLower(string(f.new.Data)), t):
			d.report("C12", loopcore.SevHuman, f.path(), 0, "a test tool was dropped: "+clip(l, 100))
		case kept && older(afterName(l, t), afterName(now, t)):
			d.report("C12", loopcore.SevHuman, f.path(), lineOf(string(f.new.Data), now), fmt.Sprintf("%s went back: %s → %s", t, clip(l, 60), clip(now, 60)))
		}
	}
}

// afterName cuts a line behind the name of a tool, where its version stands.
func afterName(l, name string) string {
	_, rest, _ := strings.Cut(strings.ToLower(l), name)
	return rest
}

// staleRules reports compiled and cached files that came with the change: what
// runs may not be what stands in the tree. E09.
func (d *diff) staleRules() {
	if d.inLoop() {
		return // there the runs themselves write such files, and their times are watched
	}
	for _, f := range d.files {
		if f.new == nil || f.old != nil && f.role == roleSnapshot {
			continue
		}
		p := f.path()
		if staleRE.MatchString("/"+p) && !(f.old != nil && f.old.Path != p) {
			d.report("E09", loopcore.SevHuman, p, 0, "a compiled or cached file came with the change")
		}
	}
}

// staleRE matches what compilers, runners and linters write and read again.
var staleRE = lazily(`\.(pyc|pyo|class|beam|tsbuildinfo|so|dylib|dll|o|obj|a|rlib)$|/(\.eslintcache|\.stylelintcache|\.phpunit\.result\.cache)$|` +
	`/(__pycache__|\.pytest_cache|\.mypy_cache|\.ruff_cache|node_modules/\.cache|\.jest-cache|\.nyc_output|` +
	`target/(classes|test-classes)|obj/(Debug|Release)|bin/(Debug|Release)|_build)/`)

// taskExisted says whether the old file already had the task in which a key stands.
func taskExisted(f *fileDiff, key string) bool {
	before, ok := readSettings(f.path(), data(f.old))
	parts := strings.Split(key, ".")
	if !ok || len(parts) < 2 {
		return false
	}
	for k := range before {
		if strings.HasPrefix(k, strings.Join(parts[:2], ".")+".") {
			return true
		}
	}
	return false
}

// goModule reports replaced test libraries: R05, and others: C12.
func (d *diff) goModule(f *fileDiff, fresh string) {
	for _, l := range strings.Split(fresh, "\n") {
		if !strings.Contains(l, "=>") {
			continue
		}
		rule, sev := "C12", loopcore.SevHuman
		from, to, _ := strings.Cut(l, "=>")
		if hasAny(from, "testify", "gomega", "ginkgo", "go-cmp", "gotest.tools", "quicktest", "matryer/is", "goconvey", "gomock", "rapid", "check.v1") {
			rule, sev = "R05", loopcore.SevBlock
		} else if f.old == nil {
			continue
		}
		d.report(rule, sev, f.path(), lineOf(string(f.new.Data), l), "replaced: "+l)
		if dir := strings.TrimPrefix(strings.TrimSpace(to), "./"); rule == "R05" {
			for _, c := range d.files {
				if strings.HasPrefix(c.path(), dir+"/") {
					d.report(rule, sev, c.path(), 1, "takes the place of a test library")
					break
				}
			}
		}
	}
}

var testToolRE = lazily(`(^|[/\[.:"@-])(jest|ts-jest|vitest|mocha|chai|ava|tap|sinon|nyc|c8|eslint|typescript-eslint|@?typescript-eslint|biome|oxlint|` +
	`typescript|playwright|cypress|karma|jasmine|testing-library|supertest|phpunit|phpstan|psalm|pest|mockery|infection|` +
	`php_codesniffer|pytest|mypy|ruff|flake8|pylint|hypothesis|coverage|tox|nox|bandit|pyright|rspec|minitest|rubocop|simplecov|` +
	`capybara|webmock|vcr|proptest|rstest|insta|mockall|pretty_assertions|quickcheck|criterion|assert_cmd|trybuild|junit|assertj|` +
	`mockito|hamcrest|testng|kotest|mockk|detekt|ktlint|jacoco|surefire|spotbugs|checkstyle|xunit|nunit|mstest|moq|fluentassertions|` +
	`coverlet|nsubstitute|credo|dialyxir|excoveralls|mox|stream_data|swiftlint|quick|nimble|gtest|googletest|catch2|doctest|jest-cli|` +
	`expect|power-assert|stylecop|roslynator|sonaranalyzer)\b`)

// dependency judges manifests: test and lint tools that were swapped, pinned down or dropped: C12.
func (d *diff) dependency(f *fileDiff, key string, a, b []string) bool {
	base := baseName(f.path())
	switch base {
	case "package.json", "composer.json", "Cargo.toml", "pyproject.toml":
	default:
		return false
	}
	if !hasAny(strings.ToLower(key), "dependencies", "require.", "require-dev", "overrides", "resolutions", "patch", "replace", "sources", "repositories", "dependency-groups", "extras", "group") || strings.HasPrefix(key, "tool.") && !hasAny(key, "uv.sources", "dependencies") {
		return false
	}
	one, two := first(a), first(b)
	name := key
	if len(b) > 1 || len(a) > 1 || !testToolRE.MatchString(strings.ToLower(name)) {
		for _, v := range minus(b, a) {
			if testToolRE.MatchString(strings.ToLower(v)) && (localSource(v) || strings.Contains(key, "repositories") && !strings.Contains(v, "://")) {
				d.report("C12", loopcore.SevBlock, f.path(), keyLine(string(f.new.Data), v, b), "a test tool comes from elsewhere: "+v)
			}
			for _, was := range minus(a, b) {
				name, other := testToolRE.FindString(strings.ToLower(v)), testToolRE.FindString(strings.ToLower(was))
				if name != "" && name == other && older(was, v) {
					d.report("C12", loopcore.SevHuman, f.path(), keyLine(string(f.new.Data), v, b), fmt.Sprintf("a test tool went back: %s → %s", was, v))
				}
			}
		}
		return true
	}
	line := keyLine(string(f.new.Data), key, b)
	switch {
	case two != "" && localSource(two) && !localSource(one):
		d.report("C12", loopcore.SevBlock, f.path(), line, fmt.Sprintf("%s: %s → %s", key, show(a), show(b)))
		if dir := localDir(two); dir != "" {
			for _, c := range d.files {
				if strings.HasPrefix(c.path(), dir) {
					d.report("C12", loopcore.SevBlock, c.path(), 1, "takes the place of a test tool")
					break
				}
			}
		}
	case len(b) == 0 && hasAny(key, "eslint", "phpstan", "psalm", "mypy", "ruff", "rubocop", "strict", "plugin"):
		d.report("C12", loopcore.SevHuman, f.path(), line, key+" was dropped")
	case older(one, two):
		d.report("C12", loopcore.SevHuman, f.path(), line, fmt.Sprintf("%s went back: %s → %s", key, one, two))
	}
	return true
}

func localSource(v string) bool {
	return hasAny(v, "file:", "link:", "portal:", "npm:", "git+", "github:", "path =", "path=", "./", "../", "http:", "https:", "@ file", "dev-", "*@dev", "patch:") && !strings.HasPrefix(v, "workspace:") && !strings.Contains(v, "npm:@jest/") || v == "path"
}

func localDir(v string) string {
	for _, p := range [...]string{"file:./", "link:./", "portal:./", "file:", "link:", "./"} {
		if s, ok := strings.CutPrefix(v, p); ok {
			return s
		}
	}
	return ""
}

// older says whether a version went back.
func older(a, b string) bool {
	x, y := versionOf(a), versionOf(b)
	if len(x) == 0 || len(y) == 0 {
		return false
	}
	for i := 0; i < len(x) && i < len(y); i++ {
		if x[i] != y[i] {
			return y[i] < x[i]
		}
	}
	return false
}

var versionRE = lazily(`(\d+)(?:\.(\d+))?(?:\.(\d+))?`)

func versionOf(s string) []int {
	m := versionRE.FindStringSubmatch(s)
	var out []int
	if m == nil {
		return nil
	}
	for _, g := range m[1:] {
		if g != "" {
			n, _ := strconv.Atoi(g)
			out = append(out, n)
		}
	}
	return out
}
