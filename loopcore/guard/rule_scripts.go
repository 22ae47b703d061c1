package guard

import (
	"fmt"
	"strconv"
	"strings"

	"fixloop/loopcore"
)

// scriptPattern is a sign in settings that are programs. Add is looked for in
// new lines, del in lines that went without one like it coming.
type scriptPattern struct {
	rule string
	sev  loopcore.Severity
	file *lazyRE
	add  *lazyRE
	del  *lazyRE
}

func sx(rule string, sev loopcore.Severity, file, add, del string) scriptPattern {
	p := scriptPattern{rule: rule, sev: sev, file: lazily(file)}
	if add != "" {
		p.add = lazily(add)
	}
	if del != "" {
		p.del = lazily(del)
	}
	return p
}

const (
	pyConf    = `(^|/)(conftest|noxfile|tasks|setup)\.py$`
	rubySide  = `(_helper\.rb|(^|/)(test|spec)/helper\.rb|(^|/)Rakefile|\.rake|\.simplecov|/support/[\w/]+\.rb|(^|/)\.rspec(-local)?|config/environments/test\.rb)$`
	mixFiles  = `(^|/)(mix\.exs|test_helper\.exs|\.credo\.exs|\.dialyzer_ignore\.exs|config/test\.exs)$`
	cmakeFile = `(CMakeLists\.txt|\.cmake|CMakePresets\.json)$`
	swiftPkg  = `(^|/)Package(@[\w.-]+)?\.swift$`
	buildAny  = `(CMakeLists\.txt|\.cmake|[Mm]akefile|\.mk|meson\.build|configure\.ac|Makefile\.am|build\.rs|\.bazel|BUILD)$`
	jsSide    = `(setup|config|helper|jest|vitest|mocha)[\w.-]*\.(js|ts|mjs|cjs|mts)$`
	ignoreF   = `(^|/)\.(eslintignore|prettierignore|stylelintignore|rubocop_ignore|semgrepignore|hadolint|jshintignore|shellcheckrc|shellspec|batsrc|oxlintignore|rspec|rspec-local|npmrc|gitleaksignore|trivyignore)$`
	cargoConf = `(^|/)\.cargo/config(\.toml)?$`
	netSide   = `(AssemblyInfo|GlobalUsings|TestAssembly|ModuleInitializer|Setup|Usings)\w*\.cs$`
)

// scriptPatterns are what keyRules are, for settings that are programs.
var scriptPatterns = []scriptPattern{
	// pytest
	sx("C01", loopcore.SevBlock, pyConf, `\bcollect_ignore(_glob)?\b\s*(=|\+=|\.)|\bpytest_ignore_collect\b|\bpytest_deselected\b|\bitems\[:\]\s*=|\bitems\.(remove|pop|clear)\(|\bdel items\b|\bpytest_collect_file\b|\bpytest_pycollect_makeitem\b|\bpytest_itemcollected\b`, ``),
	sx("E06", loopcore.SevHuman, pyConf, `\bpytest_plugins\s*=|\bpytest_load_initial_conftests\b|\bpytest_cmdline_(main|preparse)\b|\bpytest_configure\b`, ``),
	// Ruby
	sx("C02", loopcore.SevBlock, rubySide, `fail_on_error\s*=\s*false|fail_fast\s*=\s*true|failure_exit_code\s*=\s*0|error_exit_code\s*=\s*0|abort_on_failure|raise_errors_for_deprecations.*false|run_all_when_everything_filtered\s*=\s*false`, `raise_errors_for_deprecations!|fail_if_no_examples\s*=\s*true|raise_on_warning\s*=\s*true|verify_partial_doubles\s*=\s*true`),
	sx("C01", loopcore.SevBlock, rubySide, `filter_run_excluding|filter_run_including|exclusion_filter|inclusion_filter|filter_run\b[ (]|exclude_pattern|--tag\s+~?\w+|--exclude-pattern|--example\b|--only-failures|--pattern\b|\bt\.(pattern|test_files|libs=no)\s*=|test_globs\s*=|FileList\[.*\]\.exclude|\.define_derived_metadata.*skip|config\.pattern\s*=`, ``),
	sx("C01", loopcore.SevHuman, rubySide, `filter_run_when_matching|\bpattern:`, ``),
	sx("C05", loopcore.SevBlock, rubySide, `\badd_filter\b|\benable_coverage_for_eval|refuse_coverage_drop\s+false`, `refuse_coverage_drop|minimum_coverage_by_file|SimpleCov\.start`),
	sx("S02", loopcore.SevBlock, rubySide, `\brecord:? ?(=>)? ?:(all|new_episodes)\b|default_cassette_options.*:all`, ``),
	sx("C06", loopcore.SevBlock, rubySide, `(default_retry_count|verbose_retry|exceptions_to_retry|retry_count_condition|run_with_retry|Minitest::Retry|rspec/retry)`, ``),
	// Elixir
	sx("C01", loopcore.SevBlock, mixFiles, `ExUnit\.(start|configure)[( ].*(exclude|only_test_ids|include|max_failures|stale)|\btest_(paths|pattern|load_filters|ignore_filters)\b:|warn_test_pattern`, ``),
	sx("C06", loopcore.SevBlock, mixFiles, `ExUnit\.(start|configure)\(.*(timeout|retry|max_failures)`, ``),
	sx("C03", loopcore.SevBlock, mixFiles, `\{Credo\.Check\.[\w.]+,\s*false\}|strict:\s*false|exit_status:\s*0|disabled:\s*\[`, `strict:\s*true|\{Credo\.Check\.`),
	sx("C10", loopcore.SevBlock, mixFiles, `warnings_as_errors:\s*false|no_warn_undefined|ignore_module_conflict:\s*true`, `warnings_as_errors:\s*true|--warnings-as-errors`),
	sx("C11", loopcore.SevBlock, mixFiles, `ignore_warnings:`, ``),
	sx("C04", loopcore.SevBlock, mixFiles, `list_unused_filters:\s*false`, `dialyzer:|:unmatched_returns|:error_handling|:underspecs|:extra_return|:missing_return`),
	sx("C05", loopcore.SevBlock, mixFiles, `ignore_modules:|skip_files|output:\s*false`, ``),
	// CMake, make and C builds
	sx("C02", loopcore.SevBlock, cmakeFile, `\bWILL_FAIL\b|\bSKIP_RETURN_CODE\b|\bSKIP_REGULAR_EXPRESSION\b|\bPASS_REGULAR_EXPRESSION\b|\|\| ?true|\bDISABLED\s+(TRUE|ON|1|YES)|\bDISABLED true`, `FAIL_REGULAR_EXPRESSION`),
	sx("C01", loopcore.SevBlock, cmakeFile, `\bTEST_FILTER\b|CTEST_CUSTOM_TESTS_IGNORE|GTEST_FILTER|--gtest_filter|\bEXCLUDE_FROM_ALL\b.*test|BUILD_TESTING\s+(OFF|0|FALSE)|list\(REMOVE_ITEM.*[Tt]est|list\(FILTER.*EXCLUDE|"testPresets".*exclude|TEST_SPEC\b`, `\benable_testing\b|\badd_test\b|gtest_discover_tests|catch_discover_tests|doctest_discover_tests|add_subdirectory\(tests?\)|include\(CTest\)|BUILD_TESTING\s+ON`),
	sx("C06", loopcore.SevBlock, cmakeFile, `\bREPEAT\b|until-pass`, ``),
	sx("C10", loopcore.SevBlock, buildAny, `[\s("';]-w([\s)"';]|$)|-Wno-[\w=-]+|/W0\b|/wd\d+|-Wno-error|COMPILE_WARNING_AS_ERROR\s+(OFF|FALSE|0)|werror=false|warning_level=0|-suppress-warnings`, `-Werror\b|-Wall\b|-Wextra\b|-Wpedantic\b|/WX\b|/W4\b|-pedantic-errors|COMPILE_WARNING_AS_ERROR\s+(ON|TRUE|1)|werror=true|-Wconversion|-Wshadow`),
	sx("C08", loopcore.SevBlock, buildAny, `-DNDEBUG\b|\bNDEBUG\b|-DGTEST_\w+|-DDOCTEST_CONFIG_DISABLE|-DCATCH_CONFIG_DISABLE|-DUNITY_EXCLUDE\w*|-fno-sanitize`, `-fsanitize=\w+|-UNDEBUG`),
	// Swift
	sx("C01", loopcore.SevBlock, swiftPkg, `\bexclude:\s*\[|\bsources:\s*\[|//\s*\.testTarget|--skip\b`, `\.testTarget\(`),
	sx("C10", loopcore.SevBlock, swiftPkg, `-suppress-warnings|-Wno-|-no-warnings-as-errors|-w"`, `-warnings-as-errors|StrictConcurrency|treatAllWarnings|swiftLanguageModes?|enableUpcomingFeature|-enable-actor-data-race-checks`),
	sx("C08", loopcore.SevBlock, swiftPkg, `-Ounchecked|-assert-config`, ``),
	// JavaScript support and ignore files
	sx("C06", loopcore.SevBlock, jsSide, `\bretryTimes\(|\bretries\((\d)|setTimeout\(\d{6,}|testTimeout\s*=`, ``),
	sx("C03", loopcore.SevBlock, `(^|/)\.(eslintignore|stylelintignore|jshintignore|semgrepignore|oxlintignore)$`, `^[^#\s]`, ``),
	sx("L01", loopcore.SevBlock, `(^|/)\.shellcheckrc$`, `^disable=`, `^enable=`),
	sx("C01", loopcore.SevBlock, `(^|/)(\.shellspec|\.batsrc)$`, `--(tag|example|focus|pattern|skip|fail-fast|dry-run|filter)`, ``),
	// cargo
	sx("E06", loopcore.SevBlock, cargoConf, `^(runner|rustc-wrapper|rustc-workspace-wrapper|rustc|test)\s*=|cap-lints|-A\s*\w+|--allow`, ``),
	// .NET assemblies
	sx("C01", loopcore.SevBlock, netSide, `assembly:\s*(\w+\.)*(Ignore|Explicit|CollectionBehavior|LevelOfParallelism=no|TestFramework|Category)`, ``),
	sx("R04", loopcore.SevBlock, netSide, `assembly:\s*(\w+\.)*TestFramework`, ``),
	// Rake tasks for JavaScript's and others' gates live in commandsOf
	sx("C08", loopcore.SevBlock, `(^|/)Rakefile$`, ``, `^task\s+(:default|default:|:test|:ci).*`),
	// Jenkins
	sx("C07", loopcore.SevBlock, `(^|/)Jenkinsfile`, `\bcatchError\b|\bwarnError\b|returnStatus:\s*true|\|\|\s*true|propagate:\s*false|currentBuild\.result\s*=\s*.SUCCESS|allowEmptyResults:\s*true|when\s*\{\s*expression\s*\{\s*false|unstable\(|try\s*\{`, `\bjunit\b|error\b.*failed`),
	// R03 outside of code files
	sx("C09", loopcore.SevBlock, `(^|/)(\.pre-commit-config\.yaml|lefthook\.yml|\.lefthook\.yml|\.lintstagedrc(\.json)?)$`, `stages:\s*\[?\s*(manual|post-)|\bexclude:|\bSKIP\b|\|\| ?true|exclude_types|files:\s*\^\$|\bskip:|\bfail_fast:\s*false=no|additional_dependencies: \[\]=no|verbose: true=no|--exit-zero|fail_on_\w+:\s*false`, `^\s*-?\s*id:|^\s*-\s*repo:|^\s*\w+[\w-]*:\s*$=no|\brun:`),
	// further builds and CI files
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

// scriptPatterns applies the rows to one file, and the numbers and ignore files that need more than a pattern.
func (d *diff) scriptPatterns(f *fileDiff) {
	p := f.path()
	if f.new == nil || len(f.new.Data) > maxConfig {
		return
	}
	a, b := string(data(f.old)), string(f.new.Data)
	for _, s := range scriptPatterns {
		if s.file.MatchString(p) {
			d.applyScript(f, s, a, b)
		}
	}
	d.toolSources(f)
	switch baseName(p) {
	case ".gitignore":
		d.gitIgnore(f, addedText(a, b))
	case ".gitattributes":
		d.gitAttributes(f, addedText(a, b))
	case ".gitmodules":
		if f.old != nil || hasAny(b, "test", "spec") {
			d.report("E05", loopcore.SevHuman, p, 0, "submodules changed")
		}
	case "go.mod", "go.work":
		d.goModule(f, addedText(a, b))
	}
	d.collectionHook(f)
	d.numbers(f, a, b)
}

// dataOnlyRE is a list of exclusions that names nothing but build and text files.
var dataOnlyRE = lazily(`exclude:\s*\[\s*("[^"]*(CMakeLists\.txt|\.md|\.txt|\.plist|\.cmake|\.docc)"[,\s]*)+\]`)

func (d *diff) applyScript(f *fileDiff, s scriptPattern, a, b string) {
	if s.add != nil {
		for _, l := range strings.Split(addedText(a, b), "\n") {
			m := s.add.FindString(l)
			if m == "" || strings.Contains(a, l) {
				continue
			}
			if strings.Count(a, m) >= strings.Count(b, m) && s.rule != "C03" && !strings.HasSuffix(m, "=") {
				continue // moved or rewrapped
			}
			if s.rule == "C01" && dataOnlyRE.MatchString(l) {
				continue
			}
			sev := s.sev
			if f.old == nil && sev == loopcore.SevBlock && f.role == roleConfig && baseName(f.path()) != "conftest.py" {
				sev = loopcore.SevHuman // the first file of a tool
			}
			if generatedPath(l) && (s.rule == "C03" || s.rule == "C05" || s.rule == "C09") {
				sev = loopcore.SevHuman
			}
			if s.rule == "C09" && strings.Contains(l, "exclude:") && docsOnly([]string{l}) {
				continue
			}
			if s.rule == "C09" && strings.Contains(l, "exclude:") && f.old != nil && strings.Contains(a, "exclude:") {
				sev = loopcore.SevHuman
			}
			d.report(s.rule, sev, f.path(), lineOf(b, l), "gained: "+clip(l, 120))
		}
	}
	if s.del != nil && f.old != nil {
		for _, l := range strings.Split(addedText(b, a), "\n") {
			m := s.del.FindString(l)
			if m == "" || strings.Count(b, m) >= strings.Count(a, m) || s.rule == "C08" && strings.Contains(s.file.String(), "Rakefile") && !rakeShrank(l, b) {
				continue
			}
			sev := s.sev
			if m == "-Wall" && strings.Contains(b, "-Wextra") || hasAny(m, "discover_tests", "add_test") && strings.Count(b, "add_test")+strings.Count(b, "discover_tests") >= strings.Count(a, "add_test")+strings.Count(a, "discover_tests") || strings.Contains(l, "repo:") || strings.HasSuffix(strings.TrimSpace(m), "id:") && strings.Count(b, "id:") >= strings.Count(a, "id:") {
				sev = loopcore.SevHuman
			}
			if s.rule == "C09" && !d.inLoop() && (d.upgraded() || hasAny(l, "flake8", "isort", "black", "pyupgrade", "pylint") && strings.Contains(b, "ruff")) {
				sev = loopcore.SevHuman
			}
			d.report(s.rule, sev, f.path(), 0, "lost: "+clip(l, 120))
		}
	}
}

// rakeTaskRE is a task of Rake.
var rakeTaskRE = lazily(`^task\s+:?(\w+)`)

// rakeShrank says whether a task lost one of its prerequisites.
func rakeShrank(old, now string) bool {
	name := rakeTaskRE.FindStringSubmatch(old)
	if name == nil {
		return false
	}
	for _, l := range strings.Split(now, "\n") {
		if m := rakeTaskRE.FindStringSubmatch(strings.TrimSpace(l)); m != nil && m[1] == name[1] {
			return len(minus(wordRE.FindAllString(old, -1), wordRE.FindAllString(l, -1))) > 0
		}
	}
	return true
}

// collectionHook judges pytest_collection_modifyitems: an option that asks is for a person, a filter is not.
func (d *diff) collectionHook(f *fileDiff) {
	u := f.newU
	if u.lang != langPython {
		return
	}
	for _, x := range u.fns {
		switch x.name {
		case "pytest_collection_modifyitems", "pytest_generate_tests", "pytest_runtest_setup":
		default:
			continue
		}
		body := u.norm(x.open, x.to)
		for _, o := range f.oldU.fns {
			if o.name == x.name && f.oldU.norm(o.open, o.to) == body {
				body = ""
			}
		}
		if body == "" || x.name != "pytest_collection_modifyitems" && !hasAny(body, "skip", "xfail") {
			continue
		}
		sev := loopcore.SevHuman
		if hasAny(body, "items[:]", "remove(", "del items", "deselect", "skip", "xfail", "items.clear", "pop(", ".filter") && !hasAny(body, "getoption", "getvalue", "config.option", "environ") {
			sev = loopcore.SevBlock
		}
		d.report("C01", sev, f.path(), u.line(x.at), x.name+" changes what is run")
	}
}

var numberRules = []struct {
	rule string
	re   *lazyRE
	up   bool
	file *lazyRE
}{
	{"C05", lazily(`\bminimum_coverage(?:_by_file)?[ (:]+(?:line: ?)?(\d[\d.]*)`), false, lazily(`\.rb$|\.simplecov$`)},
	{"C05", lazily(`\b(?:threshold|minimum_coverage):? ?(\d[\d.]*)`), false, lazily(`\.exs$`)},
	{"C05", lazily(`\bfail[-_]under[= ]+(\d[\d.]*)`), false, lazily(`(noxfile\.py|tox\.ini|Makefile|\.sh|\.yml|\.toml|\.cfg)$`)},
	{"C06", lazily(`\bTIMEOUT\s+(\d+)`), true, lazily(`(CMakeLists\.txt|\.cmake)$`)},
	{"C03", lazily(`max_complexity: ?(\d+)|max_length: ?(\d+)`), true, lazily(`\.credo\.exs$`)},
	{"C05", lazily(`\bminimum[ =:.(]+"?(\d[\d.]*)`), false, lazily(`\.gradle(\.kts)?$`)},
}

// numbers compares thresholds in settings that are programs.
func (d *diff) numbers(f *fileDiff, a, b string) {
	if f.old == nil {
		return
	}
	for _, n := range numberRules {
		if !n.file.MatchString(f.path()) {
			continue
		}
		x, y := n.re.FindStringSubmatch(a), n.re.FindStringSubmatch(b)
		switch {
		case x == nil || n.file.MatchString("x.gradle"):
		case y == nil:
			if !n.up {
				d.report(n.rule, loopcore.SevBlock, f.path(), 0, "lost: "+x[0])
			}
		default:
			p, q := numberOf(x), numberOf(y)
			if q < p && !n.up || q > p && n.up {
				sev := loopcore.SevBlock
				if n.up && q <= 2*p {
					sev = loopcore.SevHuman
				}
				d.report(n.rule, sev, f.path(), lineOf(b, y[0]), x[0]+" → "+y[0])
			}
		}
	}
}

func numberOf(m []string) float64 {
	for _, g := range m[1:] {
		if v, err := strconv.ParseFloat(strings.TrimRight(g, "."), 64); err == nil {
			return v
		}
	}
	return 0
}

// gitIgnore reports patterns that hide what the gate needs: E03.
func (d *diff) gitIgnore(f *fileDiff, fresh string) {
	for _, l := range strings.Split(fresh, "\n") {
		l = strings.TrimSpace(l)
		if l == "" || strings.HasPrefix(l, "!") {
			continue
		}
		p := strings.Trim(l, "/")
		bare := strings.Trim(p, "*/")
		low := strings.ToLower(p)
		hits := hasAny(low, "test", "spec", "conftest", ".github", "__snapshots__", "pytest.ini", "jest.config", "package.json", ".golangci", "makefile", ".eslintrc", "phpunit.xml") && !hasAny(low, "result", "report", "coverage", "output", "cache", ".tmp", "test-reports", "testresults", ".log", "latest", ".pytest", "screenshots", "videos", "playwright-report", ".last-run", "test_output", "logs", ".db", ".sqlite", "artifacts", "tmp", ".phpunit", "local", ".env", "cover", ".prof", "data/", ".out", "bin", "*.test", "temp", "debug", "xcuserdata", "diff_output", "failures")
		ex := ext(p)
		source := strings.HasPrefix(p, "*") && (isCodeExt("x"+ex)) && bare == ex || bare == "src" || bare == "lib" && false
		for _, c := range d.files { // a changed file that the pattern names
			if c.path() == p && c.new != nil && c.role != roleDocs && c.role != roleInstalled && (c.gateSide() || c.role == roleCode) {
				hits = true
			}
		}
		if hits || source {
			sev := loopcore.SevBlock
			if !d.inLoop() && (f.old == nil && dirOf(f.path()) != "." || d.removedBelow(p)) {
				sev = loopcore.SevHuman // of a part that came as a whole, or of what went with it
			}
			d.report("E03", sev, f.path(), lineOf(string(f.new.Data), l), "git no longer shows "+l)
		}
	}
}

// removedBelow says whether the change deletes what lies below a folder, all of it.
func (d *diff) removedBelow(dir string) bool {
	n := 0
	for _, f := range d.files {
		if !strings.HasPrefix(f.path(), dir+"/") {
			continue
		}
		if f.new != nil {
			return false
		}
		n++
	}
	return n > 0
}

// partGone says whether the change deletes a folder with what its tests are about.
func (d *diff) partGone(dir string) bool {
	for _, f := range d.files {
		if f.new == nil && strings.HasPrefix(f.path(), dir+"/") && (f.role == roleCode || f.role == roleConfig) {
			return d.removedBelow(dir)
		}
	}
	return false
}

// gitAttributes reports attributes that hide changes: E03.
func (d *diff) gitAttributes(f *fileDiff, fresh string) {
	for _, l := range strings.Split(fresh, "\n") {
		if hasAny(l, "-linguist-generated", "linguist-generated=false", "-linguist-vendored", "linguist-vendored=false") { // shown again
			continue
		}
		if !hasAny(l, " -diff", "linguist-generated", "linguist-vendored", " binary", "filter=", "export-ignore=no", " -text diff=no", "diff=none", "ident=no", "working-tree-encoding") {
			continue
		}
		pat := strings.Fields(l)[0]
		low := strings.ToLower(pat)
		code := hasAny(low, "test", "spec", "conftest", "ci") || isCodeExt(pat) || strings.HasPrefix(low, "src")
		if strings.Contains(l, "filter=lfs") || !code {
			continue
		}
		sev := loopcore.SevBlock
		if generatedPath(pat) || hasAny(low, ".snap", "lock", "snapshot", "fixture", "testdata", ".golden") {
			sev = loopcore.SevHuman
		}
		d.report("E03", sev, f.path(), lineOf(string(f.new.Data), l), "reviews no longer show "+pat)
	}
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

var testToolRE = lazily(`(^|[/\[.:"@-])(jest|ts-jest|vitest|mocha|chai|ava|tap|sinon|nyc|c8|eslint|typescript-eslint|@?typescript-eslint|biome|oxlint|typescript|playwright|cypress|karma|jasmine|testing-library|supertest|phpunit|phpstan|psalm|pest|mockery|infection|php_codesniffer|pytest|mypy|ruff|flake8|pylint|hypothesis|coverage|tox|nox|bandit|pyright|rspec|minitest|rubocop|simplecov|capybara|webmock|vcr|proptest|rstest|insta|mockall|pretty_assertions|quickcheck|criterion|assert_cmd|trybuild|junit|assertj|mockito|hamcrest|testng|kotest|mockk|detekt|ktlint|jacoco|surefire|spotbugs|checkstyle|xunit|nunit|mstest|moq|fluentassertions|coverlet|nsubstitute|credo|dialyxir|excoveralls|mox|stream_data|swiftlint|quick|nimble|gtest|googletest|catch2|doctest|jest-cli)\b`)

// dependency judges manifests: test and lint tools that were swapped, pinned down or dropped: C12.
func (d *diff) dependency(f *fileDiff, key string, a, b []string) bool {
	base := baseName(f.path())
	switch base {
	case "package.json", "composer.json", "Cargo.toml", "pyproject.toml":
	default:
		return false
	}
	if !hasAny(strings.ToLower(key), "dependencies", "require", "overrides", "resolutions", "patch", "replace", "sources", "repositories", "dependency-groups", "extras", "group") || strings.HasPrefix(key, "tool.") && !hasAny(key, "uv.sources", "dependencies") {
		return false
	}
	one, two := first(a), first(b)
	name := key
	if len(b) > 1 || len(a) > 1 || !testToolRE.MatchString(strings.ToLower(name)) {
		for _, v := range minus(b, a) {
			if testToolRE.MatchString(strings.ToLower(v)) && localSource(v) {
				d.report("C12", loopcore.SevBlock, f.path(), keyLine(string(f.new.Data), v, b), "a test tool comes from elsewhere: "+v)
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
