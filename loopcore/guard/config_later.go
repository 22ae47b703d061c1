package guard

import (
	"fmt"
	"strings"

	"fixloop/loopcore"
)

// laterKeyRules are rows of section 4.5 of the taxonomy for tools that came
// after the first table; they are asked when no row of it matches.
var laterKeyRules = []keyRule{
	kx("C05", looseDown, `(^|/)bunfig\.toml$`, `coverageThreshold(\..*)?$`),
	kx("C05", looseGrow, `(^|/)sonar-project\.properties$`, `exclusions$`),
	kx("C03", looseGrow, `(^|/)\.?pylintrc$`, `(^|\.)(disable|ignore|ignore-patterns|ignore-paths)$`),
	kx("C03", looseGrow, `(^|/)\.bandit$`, `(skips|exclude_dirs|exclude)$`),
	kx("C03", looseOff, goLint, `^linters[-.]settings\..*\.(check-\w+|enable-all|strict\w*|require-\w+)$`),
	kx("C03", looseOff, gradleF, `(allRules|isAllRules)(\.set)?$`),
	kx("C03", looseLevel, `(^|/)lint\.xml$`, `@severity$`),
	kx("C03", looseOff, `(^|/)\.swift-format$`, `^rules\.`),
	kx("C01", looseAny, phpunitF, `directory.*@(suffix|prefix)$`),
	kx("C08", looseOn, `(^|/)tox\.ini$`, `ignore_outcome$`),
	kx("C08", looseShrink, `(^|/)tox\.ini$`, `(^|\.)env_?list$`),
	kx("C08", looseOn, `(^|/)taskfile\.ya?ml$`, `ignore_error$`),
	kh("C08", looseAny, `(^|/)taskfile\.ya?ml$`, `\.status$`),
	kh("E06", looseAny, `(^|/)junit-platform\.properties$`, `conditions\.deactivate$|autodetection\.enabled$`),
	kh("E06", looseAny, `(^|/)gradle\.properties$`, `skip`),
}

// laterPatterns are the same for settings that are programs.
var laterPatterns = []scriptPattern{
	sx("C01", loopcore.SevBlock, cmakeFile, `CTEST_CUSTOM_(TESTS_IGNORE|PRE_TEST|POST_TEST)[ \t]+[^)\s]|BUILD_TESTING[^)\n]*\bOFF\b`, ``),
	sx("C02", loopcore.SevBlock, cmakeFile, `COMMAND[^)\n]*(-E true\b|\s(true|/bin/true|echo)\b)`, ``),
	sx("C08", loopcore.SevHuman, cmakeFile, `CMAKE_BUILD_TYPE\s+"?(Release|MinSizeRel)`, ``),
	sx("C10", loopcore.SevBlock, cmakeFile, ``, `-Werror\b`),
	sx("C01", loopcore.SevBlock, `(^|/)meson\.build$`, ``, `^\s*(test|benchmark)\(`),
	sx("C02", loopcore.SevBlock, `(^|/)meson\.build$`, `should_fail\s*:\s*true`, ``),
	sx("C10", loopcore.SevBlock, `(^|/)meson\.build$`, ``, `werror=true`),
	sx("C02", loopcore.SevBlock, `(^|/)BUILD(\.bazel)?$`, `tags\s*=.*"(manual|disabled|no-ci)"`, ``),
	sx("C06", loopcore.SevBlock, `(^|/)BUILD(\.bazel)?$`, `flaky\s*=\s*True`, ``),
	sx("E06", loopcore.SevBlock, `(^|/)\.bazelrc$`, `--test_filter|--build_tests_only|--test_tag_filters=-|--flaky_test_attempts|--test_lang_filters`, ``),
	sx("E06", loopcore.SevHuman, `(^|/)build\.rs$`, `rustc-cfg|rustc-env|RUSTFLAGS`, ``),
	sx("C02", loopcore.SevBlock, mixFiles, `autorun:\s*false`, ``),
	sx("R04", loopcore.SevHuman, mixFiles, `formatters:\s*\[`, ``),
	sx("C03", loopcore.SevBlock, `(^|/)\.credo\.exs$`, `excluded:\s*\[[^\]\s]`, ``),
	sx("C08", loopcore.SevBlock, `(^|/)mix\.exs$`, `^\s*"?(test|ci|check|lint)"?:\s*(fn\b|\[\]|&)`, ``),
	sx("C02", loopcore.SevBlock, pomFiles, `<phase>\s*none\s*</phase>`, ``),
	sx("C03", loopcore.SevBlock, pomFiles, `<violationSeverity>\s*(error|none)\s*<`, ``),
	sx("C10", loopcore.SevBlock, pomFiles+"|"+gradleF, `-Xlint:none|-nowarn\b`, `-Werror\b|-Xlint(:all)?\b`),
	sx("C02", loopcore.SevBlock, gradleF, `^\s*onlyIf\b`, ``),
	sx("C08", loopcore.SevBlock, gradleF, `excludedTask(Name)?s|taskGraph\.whenReady.*test`, ``),
	sx("C05", loopcore.SevBlock, gradleF, ``, `dependsOn.*([Cc]overageVerification|jacoco|kover)`),
	sx("C08", loopcore.SevHuman, `(^|/)settings\.gradle(\.kts)?$`, ``, `^include\b`),
	sx("C02", loopcore.SevBlock, `(^|/)build\.xml$`, `halton(failure|error)\s*=\s*"(false|no|off)"`, `halton(failure|error)\s*=\s*"(true|yes|on)"`),
	sx("C01", loopcore.SevBlock, `(^|/)testng[\w-]*\.xml$`, `<exclude\b|enabled\s*=\s*"false"`, `<(class|package|suite-file)\b[^>]*(name|path)=`),
	sx("C02", loopcore.SevBlock, jestFiles, `\bonUnhandledError\b`, ``),
	sx("C01", loopcore.SevBlock, `(^|/)vitest\.workspace\.\w+$`, ``, `["'][\w./*-]+["']`),
	sx("C03", loopcore.SevBlock, clangTidy, `WarningsAsErrors:\s*(''|""|$)`, `WarningsAsErrors:\s*['"]?\*`),
	sx("C03", loopcore.SevBlock, `(^|/)\.globalconfig$`, `severity\s*=\s*(none|silent|suggestion)`, ``),
	sx("C03", loopcore.SevBlock, `checkstyle[\w.-]*\.xml$`, `"severity"\s+value\s*=\s*"(ignore|info|warning)"`, `<module\s+name=`),
	sx("C03", loopcore.SevBlock, `(^|/)pmd[\w.-]*\.xml$`, ``, `<rule\s+ref=`),
	sx("C03", loopcore.SevBlock, `\.php-cs-fixer(\.dist)?\.php$`, `=>\s*false`, `['"]@?\w+['"]\s*=>\s*true`),
	sx("C04", loopcore.SevBlock, `(^|/)psalm[\w.-]*\.xml`, `errorLevel\s*=\s*"(suppress|info)"`, ``),
	sx("C09", loopcore.SevBlock, `(^|/)grumphp\.ya?ml$`, ``, `^\s*\w+:\s*(~|null|$)`),
	sx("C01", loopcore.SevBlock, rubySide, `\bt\.options\s*=.*-n\b|\bTESTOPTS\b`, ``),
	sx("C10", loopcore.SevBlock, rubySide, `\.warning\s*=\s*false`, `\.warning\s*=\s*true`),
	sx("C08", loopcore.SevBlock, `(^|/)(GNU)?[Mm]akefile$`, `^\.(IGNORE|SILENT=no)\b|^SHELL\s*[:?]?=\s*\S*(true|echo|:)\s*$`, `^\.SHELLFLAGS.*(pipefail|-e)`),
	sx("C07", loopcore.SevBlock, `(^|/)\.circleci/config\.yml$`, `^\s*when:\s*on_fail`, ``),
	sx("C07", loopcore.SevBlock, `(^|/)azure-pipelines\.ya?ml$`, `^trigger:\s*none`, ``),
	sx("C07", loopcore.SevBlock, `(^|/)\.github/workflows/`, `^\s*(PYTEST_ADDOPTS|GOFLAGS|NODE_OPTIONS|GTEST_FILTER|BATS_TEST_RETRIES|CTEST_\w+|SPEC_OPTS|MAVEN_ARGS|RUSTFLAGS.*(cap-lints|-A)):|>\s*(node_modules|vendor)/(\.)?bin/|^\s*shell:\s*bash\s*\{0\}`, ``),
	sx("C07", loopcore.SevHuman, `(^|/)\.github/workflows/`, `\brm\s+(-\w+\s+)*\S*(test|spec)`, ``),
	sx("C07", loopcore.SevBlock, `(^|/)(\.woodpecker\.ya?ml|\.drone\.ya?ml)$`, `^\s*failure:\s*ignore`, ``),
	sx("C07", loopcore.SevBlock, `(^|/)\.cirrus\.yml$`, `^\s*allow_failures:\s*true`, ``),
	sx("C07", loopcore.SevBlock, `(^|/)Jenkinsfile`, `-DskipTests|-Dmaven\.test\.(skip|failure\.ignore)|when\s*\{\s*(branch|expression|environment)`, `^\s*sh\b.*\b(test|verify|check|lint|build)\b`),
}

// localSourceRE takes a dependency from a folder or a repository.
var localSourceRE = lazily(`\bpath\s*[:=]|@ ?file:|git\s*[:=]|github:|ProjectReference|\.\./|"\./`)

// localFeedRE is a feed of packages in a folder.
var localFeedRE = lazily(`<add key="[^"]*" value="\.?[./\\]`)

// toolSources reports test and lint tools that a manifest takes from elsewhere,
// sets back, or drops: C12.
func (d *diff) toolSources(f *fileDiff) {
	if f.old == nil || f.new == nil {
		return
	}
	switch b := baseName(f.path()); {
	case strings.HasPrefix(b, "requirements") && ext(b) == ".txt", b == "Gemfile", b == "mix.exs", b == "Cargo.toml", b == "Pipfile", hasSuffixAny(b, ".csproj", ".fsproj", "Packages.props"), strings.EqualFold(b, "nuget.config"), strings.HasSuffix(b, ".gemspec"), b == "pubspec.yaml", b == "Podfile":
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
var staleRE = lazily(`\.(pyc|pyo|class|beam|tsbuildinfo|so|dylib|dll|o|obj|a|rlib)$|/(\.eslintcache|\.stylelintcache|\.phpunit\.result\.cache)$|/(__pycache__|\.pytest_cache|\.mypy_cache|\.ruff_cache|node_modules/\.cache|\.jest-cache|\.nyc_output|target/(classes|test-classes)|obj/(Debug|Release)|bin/(Debug|Release)|_build)/`)

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
