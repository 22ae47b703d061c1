package guard

import "fixloop/loopcore"

const (
	pyConf    = `(^|/)(conftest|noxfile|tasks|setup)\.py$`
	rubySide  = `(_helper\.rb|(^|/)(test|spec)/helper\.rb|(^|/)Rakefile|\.rake|\.simplecov|/support/[\w/]+\.rb|(^|/)\.rspec(-local)?|config/environments/test\.rb)$`
	mixFiles  = `(^|/)(mix\.exs|test_helper\.exs|\.credo\.exs|\.dialyzer_ignore\.exs|config/test\.exs)$`
	cmakeFile = `(CMakeLists\.txt|\.cmake|CMakePresets\.json)$`
	swiftPkg  = `(^|/)Package(@[\w.-]+)?\.swift$`
	buildAny  = `(CMakeLists\.txt|\.cmake|[Mm]akefile|\.mk|meson\.build|configure\.ac|Makefile\.am|build\.rs|\.bazel|BUILD)$`
	jsSide    = `(setup|config|helper|jest|vitest|mocha)[\w.-]*\.(js|ts|mjs|cjs|mts)$`
	cargoConf = `(^|/)\.cargo/config(\.toml)?$`
	netSide   = `(AssemblyInfo|GlobalUsings|TestAssembly|ModuleInitializer|Setup|Usings)\w*\.cs$`
)

// scriptPatterns are what keyRules are, for settings that are programs.
var scriptPatterns = []scriptPattern{
	// pytest
	sx("C01", loopcore.SevBlock, pyConf, `\bcollect_ignore(_glob)?\b\s*(=|\+=|\.)|\bpytest_ignore_collect\b|\bpytest_deselected\b|\bitems\[:\]\s*=|`+
		`\bitems\.(remove|pop|clear)\(|\bdel items\b|\bpytest_collect_file\b|\bpytest_pycollect_makeitem\b|\bpytest_itemcollected\b|`+
		`config\.option\.(keyword|markexpr|deselect|ignore|ignore_glob|lf|maxfail)\s*=|config\.args\s*=|success_codes\s*=|\bwarn\s*=\s*True`, ``),
	sx("C08", loopcore.SevBlock, `(tox\.ini|\.toml|\.cfg|\.mk|[Mm]akefile|justfile|Dockerfile|\.envrc|\.env|Jenkinsfile|\.ya?ml)$`, `\b(PYTEST_ADDOPTS|SPEC_OPTS|TESTOPTS|GOFLAGS|GTEST_FILTER|NODE_OPTIONS)["']?\s*[:=].*(-k\b|-m\b|--deselect|--ignore|-run|-skip|`+
		`-short|--require|--import|--loader|--tag|--exclude|no:)`, ``),
	sx("E06", loopcore.SevHuman, pyConf, `\bpytest_plugins\s*=|\bpytest_load_initial_conftests\b|\bpytest_cmdline_(main|preparse)\b|\bpytest_configure\b`, ``),
	// Ruby
	sx("C02", loopcore.SevBlock, rubySide, `fail_on_error\s*=\s*false|fail_fast\s*=\s*true|failure_exit_code\s*=\s*0|error_exit_code\s*=\s*0|abort_on_failure|`+
		`raise_errors_for_deprecations.*false|run_all_when_everything_filtered\s*=\s*false`, `raise_errors_for_deprecations!|fail_if_no_examples\s*=\s*true|raise_on_warning\s*=\s*true|verify_partial_doubles\s*=\s*true`),
	sx("C01", loopcore.SevBlock, rubySide, `\bt\.options\s*=.*(--name|-n[ =]|--exclude)`, ``),
	sx("C03", loopcore.SevBlock, rubySide, `--fail-level[ =](error|fatal|E|F)\b`, ``),
	sx("C01", loopcore.SevBlock, rubySide, `filter_run_excluding|filter_run_including|exclusion_filter|inclusion_filter|filter_run\b[ (]|exclude_pattern|--tag\s+~?\w+|`+
		`--exclude-pattern|--example\b|--only-failures|--pattern\b|\bt\.(pattern|test_files|libs=no)\s*=|test_globs\s*=|`+
		`FileList\[.*\]\.exclude|\.define_derived_metadata.*skip|config\.pattern\s*=`, ``),
	sx("C01", loopcore.SevHuman, rubySide, `filter_run_when_matching|\bpattern:`, ``),
	sx("C05", loopcore.SevBlock, rubySide, `\badd_filter\b|\benable_coverage_for_eval|refuse_coverage_drop\s+false`, `refuse_coverage_drop|minimum_coverage_by_file|SimpleCov\.start`),
	sx("S02", loopcore.SevBlock, rubySide, `\brecord:? ?(=>)? ?:(all|new_episodes)\b|default_cassette_options.*:all`, ``),
	sx("C06", loopcore.SevBlock, rubySide, `(default_retry_count|verbose_retry|exceptions_to_retry|retry_count_condition|run_with_retry|Minitest::Retry|rspec/retry)`, ``),
	sx("S02", loopcore.SevBlock, `\.(swift|cs|java|kt|py)$`, `\brecord:\s*(true|\.all)\b|\bisRecording\s*=\s*true|\bAutoVerify\(|\bAutoApprove\w*Reporter\b|\bforce_regen\s*=\s*True`, ``),
	// Elixir
	sx("C01", loopcore.SevBlock, mixFiles, `ExUnit\.(start|configure)[( ].*(exclude|only_test_ids|include|max_failures|stale)|`+
		`\btest_(paths|pattern|load_filters|ignore_filters)\b:|warn_test_pattern`, ``),
	sx("C08", loopcore.SevHuman, cmakeFile, `(?i)\boption\s*\(\s*\w*TEST\w*\s[^)]*\bOFF\s*\)`, ``),
	sx("C06", loopcore.SevBlock, mixFiles, `ExUnit\.(start|configure)\(.*(timeout|retry|max_failures)`, ``),
	sx("C03", loopcore.SevBlock, mixFiles, `\{Credo\.Check\.[\w.]+,\s*false\}|strict:\s*false|exit_status:\s*0|disabled:\s*\[`, `strict:\s*true|\{Credo\.Check\.`),
	sx("C10", loopcore.SevBlock, mixFiles, `warnings_as_errors:\s*false|\bxref:\s*\[exclude:|no_warn_undefined|ignore_module_conflict:\s*true`, `warnings_as_errors:\s*true|--warnings-as-errors`),
	sx("C11", loopcore.SevBlock, mixFiles, `ignore_warnings:`, ``),
	sx("C04", loopcore.SevBlock, mixFiles, `list_unused_filters:\s*false`, `dialyzer:|:unmatched_returns|:error_handling|:underspecs|:extra_return|:missing_return`),
	sx("C05", loopcore.SevBlock, mixFiles, `ignore_modules:|skip_files|output:\s*false`, ``),
	// CMake, make and C builds
	sx("C02", loopcore.SevBlock, cmakeFile, `\bWILL_FAIL\b|-fsanitize-recover|halt_on_error=0|detect_leaks=0|\bSKIP_RETURN_CODE\b|\bSKIP_REGULAR_EXPRESSION\b|`+
		`\bPASS_REGULAR_EXPRESSION\b|\|\| ?true|\bDISABLED\s+(TRUE|ON|1|YES)|\bDISABLED true`, `FAIL_REGULAR_EXPRESSION`),
	sx("C01", loopcore.SevBlock, cmakeFile, `\bTEST_FILTER\b|CTEST_CUSTOM_TESTS_IGNORE|GTEST_FILTER|--gtest_filter|\bEXCLUDE_FROM_ALL\b.*test|BUILD_TESTING\s+(OFF|0|FALSE)|`+
		`list\(REMOVE_ITEM.*[Tt]est|list\(FILTER.*EXCLUDE|"testPresets".*exclude|TEST_SPEC\b`, `\benable_testing\b|\badd_test\b|gtest_discover_tests|catch_discover_tests|doctest_discover_tests|add_subdirectory\(tests?\)|`+
		`include\(CTest\)|BUILD_TESTING\s+ON`),
	sx("C06", loopcore.SevBlock, cmakeFile, `\bREPEAT\b|until-pass`, ``),
	sx("C03", loopcore.SevBlock, cmakeFile, ``, `CLANG_TIDY\b.*clang-tidy|CPPCHECK\b.*cppcheck|CPPLINT\b.*cpplint`),
	sx("C10", loopcore.SevBlock, buildAny, `[\s("';]-w([\s)"';]|$)|-Wno-[\w=-]+|/W0\b|/wd\d+|-Wno-error|COMPILE_WARNING_AS_ERROR\s+(OFF|FALSE|0)|werror=false|warning_level=0|`+
		`-suppress-warnings`, `-Werror\b|-Wall\b|-Wextra\b|-Wpedantic\b|/WX\b|/W4\b|-pedantic-errors|COMPILE_WARNING_AS_ERROR\s+(ON|TRUE|1)|werror=true|`+
		`-Wconversion|-Wshadow`),
	sx("C08", loopcore.SevBlock, buildAny, `-DNDEBUG\b|\bNDEBUG\b|-DGTEST_\w+|-DDOCTEST_CONFIG_DISABLE|-DCATCH_CONFIG_DISABLE|-DUNITY_EXCLUDE\w*|-fno-sanitize`, `-fsanitize=\w+|-UNDEBUG`),
	sx("C08", loopcore.SevBlock, `CMakePresets\.json$`, `"\w*(?i:asan|ubsan|tsan|sanitiz|werror|warnings?_as_errors)\w*":\s*"?(OFF|0|FALSE|false)`, ``),
	// Swift
	sx("C02", loopcore.SevBlock, `(^|/)(Fastfile|Scanfile)$`, `\bignore_exit_status:\s*true|\bfail_build:\s*false`, ``),
	sx("C01", loopcore.SevBlock, swiftPkg, `\bexclude:\s*\[|\bsources:\s*\[|//\s*\.testTarget|--skip\b`, `\.testTarget\(`),
	sx("C10", loopcore.SevBlock, swiftPkg, `-suppress-warnings|-Wno-|-no-warnings-as-errors|-w"`, `-warnings-as-errors|StrictConcurrency|treatAllWarnings|swiftLanguageModes?|enableUpcomingFeature|-enable-actor-data-race-checks`),
	sx("C08", loopcore.SevBlock, swiftPkg, `-Ounchecked|-assert-config`, ``),
	// JavaScript support and ignore files
	sx("R03", loopcore.SevBlock, playFiles+"|"+jestFiles, `process\.exit\(0\)|\bexitCode\s*=\s*0`, ``),
	sx("C06", loopcore.SevBlock, jsSide, `\bretryTimes\(|\bretries\((\d)|setTimeout\(\d{6,}|testTimeout\s*=`, ``),
	sx("C03", loopcore.SevBlock, `(^|/)\.(eslintignore|prettierignore|stylelintignore|jshintignore|semgrepignore|oxlintignore|dockleignore)$`, `^[^#\s]`, ``),
	sx("L01", loopcore.SevBlock, `(^|/)\.shellcheckrc$`, `^disable=`, `^enable=`),
	sx("C01", loopcore.SevBlock, `(^|/)(\.shellspec|\.batsrc)$`, `--(tag|example|focus|pattern|skip|fail-fast|dry-run|filter)`, ``),
	sx("C02", loopcore.SevBlock, `(^|/)\.shellspec$`, `--no-(warning-as-failure|fail-no-examples)`, `--(warning-as-failure|fail-no-examples)`),
	sx("C06", loopcore.SevBlock, `(^|/)(test_helper\.exs|mix\.exs)$`, `\btimeout:\s*:infinity\b`, ``),
	// cargo
	sx("E06", loopcore.SevBlock, cargoConf, `^(runner|rustc-wrapper|rustc-workspace-wrapper|rustc|test)\s*=|cap-lints|-A\s*\w+|--allow`, ``),
	// .NET assemblies
	sx("C01", loopcore.SevBlock, netSide, `assembly:\s*(\w+\.)*(Ignore|Explicit|CollectionBehavior|LevelOfParallelism=no|TestFramework|Category)`, ``),
	sx("R04", loopcore.SevBlock, netSide, `assembly:\s*(\w+\.)*TestFramework`, ``),
	// Rake tasks for JavaScript's and others' gates live in commandsOf
	sx("C08", loopcore.SevBlock, `(^|/)Rakefile$`, ``, `^task\s+(:default|default:|:test|:ci).*`),
	sx("C08", loopcore.SevBlock, `(?i)(^|/)\.?justfile$`, `^set shell :?=.*\+\w*e`, `^set shell :?=.*(-\w*e|pipefail)`),
	sx("C08", loopcore.SevBlock, `(^|/)magefile\.go$`, `^_(, _)? = sh\.`, ``),
	sx("C08", loopcore.SevBlock, `(^|/)(Earthfile|build\.cake)$`, `ContinueOnError|\.OnError\(`, `^\s*BUILD \+\w*(test|lint|check|vet)`),
	sx("C01", loopcore.SevHuman, `\.sln$`, ``, `^Project\(.*[Tt]est`),
	// Jenkins
	sx("C07", loopcore.SevBlock, `(^|/)Jenkinsfile`, `\bcatchError\b|\bwarnError\b|returnStatus:\s*true|\|\|\s*true|propagate:\s*false|currentBuild\.result\s*=\s*.SUCCESS|`+
		`allowEmptyResults:\s*true|when\s*\{\s*expression\s*\{\s*false|unstable\(|try\s*\{`, `\bjunit\b|error\b.*failed`),
	// R03 outside of code files
	sx("C09", loopcore.SevBlock, `(^|/)(\.pre-commit-config\.yaml|lefthook\.yml|\.lefthook\.yml|\.lintstagedrc(\.json)?)$`, `\bSKIP\b|\|\| ?true|files:\s*\^\$|--exit-zero|fail_on_\w+:\s*false`, `\brun:`),
	// further builds and CI files
	sx("C01", loopcore.SevBlock, cmakeFile, `CTEST_CUSTOM_(TESTS_IGNORE|PRE_TEST|POST_TEST)[ \t]+[^)\s]|BUILD_TESTING[^)\n]*\bOFF\b`, ``),
	sx("C02", loopcore.SevBlock, cmakeFile, `COMMAND[^)\n]*(-E true\b|\s(true|/bin/true|echo)\b)`, ``),
	sx("C08", loopcore.SevHuman, cmakeFile, `CMAKE_BUILD_TYPE["\s:=]+(Release|MinSizeRel)`, ``),
	sx("C10", loopcore.SevBlock, cmakeFile, ``, `-Werror\b`),
	sx("C01", loopcore.SevBlock, `(^|/)meson\.build$`, ``, `^\s*(test|benchmark)\(`),
	sx("C02", loopcore.SevBlock, `(^|/)meson\.build$`, `should_fail\s*:\s*true`, ``),
	sx("C10", loopcore.SevBlock, `(^|/)meson\.build$`, `b_ndebug=true`, `werror=true|b_sanitize=\w+`),
	sx("C01", loopcore.SevBlock, `(^|/)BUILD(\.bazel)?$`, `--gtest_filter|--test_filter`, `^\w+_test\(`),
	sx("C10", loopcore.SevBlock, `(^|/)build\.sbt$`, ``, `-Xfatal-warnings|-Werror`),
	sx("C01", loopcore.SevBlock, `(^|/)build\.sbt$`, `Tests\.(Filter|Exclude)|[Tt]est\s*/\s*skip|ExcludeTags`, ``),
	sx("C04", loopcore.SevBlock, `(^|/)sorbet/config$`, `--(ignore|suppress-error-code|typed)\b`, ``),
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
	sx("C08", loopcore.SevBlock, gradleF, ``, `\bcheck\b.*dependsOn.*([tT]est|[lL]int|detekt|ktlint|spotless)`),
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
	sx("C03", loopcore.SevHuman, `(^|/)\.php[-_]cs(-fixer)?(\.dist)?(\.php)?$`, ``, `->in\(`),
	sx("C04", loopcore.SevBlock, `(^|/)psalm[\w.-]*\.xml`, `errorLevel\s*=\s*"(suppress|info)"`, ``),
	sx("C09", loopcore.SevBlock, `(^|/)grumphp\.ya?ml$`, ``, `^\s*\w+:\s*(~|null|$)`),
	sx("C01", loopcore.SevBlock, rubySide, `\bt\.options\s*=.*-n\b|\bTESTOPTS\b`, ``),
	sx("C10", loopcore.SevBlock, rubySide, `\.warning\s*=\s*false`, `\.warning\s*=\s*true`),
	sx("C08", loopcore.SevBlock, `(^|/)(GNU)?[Mm]akefile$`, `^\.(IGNORE|SILENT=no)\b|^MAKEFLAGS\s*[:+?]?=.*(-\w*i\b|--ignore-errors|-\w*n\b|--dry-run|--touch)|`+
		`^\w*(PKGS?|PACKAGES|TESTS?|DIRS|FILES)\s*[:+?]?=.*(grep -\w*v|filter-out)|^SHELL\s*[:?]?=\s*\S*(true|echo|:)\s*$`, `^\.SHELLFLAGS.*(pipefail|-e)`),
	sx("C07", loopcore.SevBlock, `(^|/)\.circleci/config\.yml$`, `^\s*when:\s*on_fail`, ``),
	sx("C07", loopcore.SevBlock, `(^|/)azure-pipelines\.ya?ml$`, `^(trigger|pr):\s*none`, ``),
	sx("C07", loopcore.SevBlock, `(^|/)\.github/workflows/`, `^\s*(`+runnerEnv+`|SKIP|RUSTFLAGS.*(cap-lints|-A)):|>\s*(node_modules|vendor)/(\.)?bin/|^\s*shell:\s*bash\s*\{0\}`, ``),
	sx("C07", loopcore.SevHuman, `(^|/)\.github/workflows/`, `\brm\s+(-\w+\s+)*\S*(test|spec)`, ``),
	sx("C07", loopcore.SevBlock, `(^|/)\.github/workflows/`, `\b(rm|sed -\w*i\w*|perl -\w*i\w*|mv|truncate)\s.*\b(tests?/|spec/|__tests__/|test_\w+\.|\w+_test\.|\w+\.(test|spec)\.)`, `FLAGS:.*(-D ?warnings|-Werror)`),
	sx("C07", loopcore.SevBlock, `(^|/)(\.woodpecker\.ya?ml|\.drone\.ya?ml)$`, `^\s*failure:\s*ignore`, ``),
	sx("C07", loopcore.SevBlock, `(^|/)\.cirrus\.yml$`, `^\s*allow_failures:\s*true`, ``),
	sx("C07", loopcore.SevBlock, `(^|/)Jenkinsfile`, `-DskipTests|-Dmaven\.test\.(skip|failure\.ignore)|when\s*\{\s*(branch|expression|environment)`, `^\s*sh\b.*\b(test|verify|check|lint|build)\b`),
}
