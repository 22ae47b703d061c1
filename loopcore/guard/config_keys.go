package guard

import (
	"strings"

	"fixloop/loopcore"
)

// direction says which way of a setting is loose.
type direction uint8

const (
	looseOn     direction = iota // true is loose
	looseOff                     // false, or gone, is loose
	looseUp                      // a larger number is loose
	looseDown                    // a smaller number, or none, is loose
	looseGrow                    // more entries are loose
	looseShrink                  // fewer entries are loose
	looseLevel                   // error > warn > off
	looseWord                    // strict > standard > basic > off
	looseChange                  // any new value is loose
	looseAny                     // any new entry or value is for a person to see
)

// keyRule is one setting whose change may narrow a gate: a row of C01 to C12 in docs/guard.md.
type keyRule struct {
	rule string
	dir  direction
	file *lazyRE // of the path, lower-cased
	key  *lazyRE // of the key path
	sev  loopcore.Severity
}

func kx(rule string, dir direction, file, key string) keyRule {
	return keyRule{rule, dir, lazily(file), lazily(`(?i)` + key), loopcore.SevBlock}
}

func kh(rule string, dir direction, file, key string) keyRule {
	r := kx(rule, dir, file, key)
	r.sev = loopcore.SevHuman
	return r
}

const (
	pyFiles    = `(^|/)(pytest\.ini|\.pytest\.ini|pytest\.toml|\.pytest\.toml|pyproject\.toml|setup\.cfg|tox\.ini)$`
	pyLint     = `(^|/)(pyproject\.toml|setup\.cfg|tox\.ini|\.?ruff\.toml|\.flake8|\.?pylintrc|\.pylintrc|pycodestyle\.cfg|\.bandit)$`
	pyTypes    = `(^|/)(pyproject\.toml|setup\.cfg|\.?mypy\.ini|pyrightconfig\.json|ty\.toml|\.pyre_configuration)$`
	pyCover    = `(^|/)(\.coveragerc|pyproject\.toml|setup\.cfg|tox\.ini|\.coveragerc\.toml)$`
	coverOther = `(^|/)(gcovr\.cfg|\.slather\.yml)$`
	jestFiles  = `(^|/)(jest\.config\.\w+|jest[\w.-]*\.(js|ts|json|cjs|mjs)|package\.json|vitest\.config\.\w+|vite\.config\.\w+|vitest\.workspace\.\w+|vitest\.[\w-]*\.?config\.\w+)$`
	mochaFiles = `(^|/)(\.mocharc(\.\w+)?|package\.json)$`
	playFiles  = `(^|/)(playwright[\w.-]*\.config\.\w+|cypress\.config\.\w+|cypress\.json|playwright\.config\.\w+|\.?ava\.config\.\w+|` +
		`karma\.conf\.\w+|wdio\.conf\.\w+|codecept\.conf\.\w+|\.taprc)$`
	tsFiles    = `(^|/)(tsconfig[\w.-]*\.json|jsconfig\.json|deno\.jsonc?)$`
	jsLint     = `(^|/)(eslint\.config\.\w+|\.eslintrc(\.\w+)?|biome\.jsonc?|\.oxlintrc\.json|oxlint\.json|tslint\.json|package\.json|\.stylelintrc(\.\w+)?|deno\.jsonc?)$`
	goLint     = `(^|/)\.golangci\.(ya?ml|toml|json)$`
	cargoFiles = `(^|/)(cargo\.toml|clippy\.toml|\.clippy\.toml)$`
	nextest    = `(^|/)nextest\.toml$`
	pomFiles   = `(^|/)pom\.xml$`
	gradleF    = `\.gradle(\.kts)?$`
	rubyLint   = `(^|/)\.(rubocop|standard|reek|erb-lint|haml-lint)[\w.-]*\.ya?ml$`
	phpunitF   = `(^|/)phpunit[\w.-]*\.xml(\.dist)?$`
	phpstanF   = `(^|/)(phpstan[\w.-]*\.neon(\.dist)?|psalm[\w.-]*\.xml(\.dist)?|phpcs\.xml(\.dist)?|\.phpcs\.xml(\.dist)?|infection\.json5?(\.dist)?)$`
	netFiles   = `(\.(cs|fs|vb)proj|directory\.build\.(props|targets)|\.runsettings|xunit\.runner\.json|\.ruleset|testconfig\.json|coverlet\.[\w.]+)$`
	editorconf = `(^|/)(\.editorconfig|\.globalconfig)$`
	swiftLint  = `(^|/)\.swiftlint\.ya?ml$`
	xctest     = `\.xctestplan$`
	ktFiles    = `(^|/)(detekt[\w.-]*\.ya?ml|\.editorconfig)$`
	clangTidy  = `(^|/)\.clang-tidy$`
	nycFiles   = `(^|/)(\.nycrc(\.\w+)?|\.c8rc(\.\w+)?|package\.json|nyc\.config\.\w+)$`
	coverCI    = `(^|/)\.?codecov\.ya?ml$`
	anyFile    = `.`
)

// keyRules are the settings that narrow a gate. The first row that matches a key counts.
var keyRules = []keyRule{
	// pytest
	kx("C01", looseShrink, pyFiles, `pytest(\.ini_options)?\.(python_files|python_classes|python_functions)$`),
	kx("C01", looseGrow, pyFiles, `pytest(\.ini_options)?\.(norecursedirs|collect_ignore|collect_ignore_glob)$`),
	kx("C02", looseOff, pyFiles, `pytest(\.ini_options)?\.(xfail_strict|strict|strict_markers|strict_config|empty_parameter_set_mark|strict_xfail)$`),
	kx("C06", looseUp, pyFiles, `pytest(\.ini_options)?\.(timeout|faulthandler_timeout|reruns|flaky_\w+|asyncio_timeout)$`),
	// coverage
	kx("C05", looseDown, pyCover, `(report|tool\.coverage\.report)\.fail_under$|^report\.fail_under$`),
	kx("C05", looseGrow, pyCover, `(run|report)\.(omit|exclude_lines|exclude_also|partial_branches)$`),
	kx("C05", looseDown, coverOther, `fail-under-(line|branch|decision|function)$`),
	kx("C05", looseGrow, coverOther, `(^|\.)(exclude|exclude-\w+|ignore)$`),
	kx("C05", looseOff, pyCover, `(run\.branch|report\.skip_covered_strict)$`),
	kx("C05", looseShrink, pyCover, `run\.(source|source_pkgs|include)$`),
	kx("C05", looseOff, jestFiles, `thresholds\.100$`),
	kx("C05", looseDown, jestFiles+"|"+nycFiles, `(coverageThreshold|thresholds?)\..*(lines|branches|functions|statements)$|^(nyc\.|c8\.)?(lines|branches|functions|statements)$`),
	kx("C05", looseGrow, jestFiles+"|"+nycFiles, `(coveragePathIgnorePatterns|coverage\.exclude|nyc\.exclude|^exclude)$`),
	kx("C05", looseShrink, jestFiles+"|"+nycFiles, `(collectCoverageFrom|coverage\.include|nyc\.include|^include)$`),
	kx("C05", looseOff, jestFiles+"|"+nycFiles, `(check-?coverage|checkCoverage|coverage\.all|perFile|per-file|collectCoverage|nyc\.all)$`),
	kx("C05", looseOn, jestFiles, `(autoUpdate|coverage\.enabled=false)$`),
	kx("C05", looseDown, coverCI, `target$`),
	kh("C05", looseDown, coverCI, `(range|precision)$`),
	kx("C05", looseUp, coverCI, `threshold$`),
	kx("C05", looseOn, coverCI, `informational$`),
	kx("C05", looseGrow, coverCI, `ignore$`),
	kx("C05", looseDown, pomFiles, `jacoco.*\.(minimum)$`),
	kx("C05", looseGrow, pomFiles, `jacoco.*excludes?\.exclude$`),
	kx("C05", looseOff, pomFiles, `jacoco.*haltOnFailure$`),
	kx("C05", looseDown, gradleF, `(jacoco|kover|violationRules|limit|verify|bound|rule).*(minimum|minBound|minValue)(\.set)?$`),
	kx("C05", looseDown, netFiles, `(Threshold|MinimumCoverage)$`),
	kx("C05", looseGrow, netFiles, `(ExcludeByFile|ExcludeByAttribute|Exclude(\.|$)|ModulePath|Sources\.Exclude.*|Functions\.Exclude.*)$`),
	kx("C05", looseDown, phpstanF, `(minMsi|minCoveredMsi)$`),
	kx("C05", looseDown, anyFile, `(minimum_coverage|coverage_threshold|min_coverage|minCoverage|coverage-threshold)$`),
	// mypy, pyright
	kx("C04", looseOn, pyTypes, `(mypy|mypy-[^.]*|tool\.mypy|overrides.*)\.(ignore_errors|ignore_missing_imports|implicit_optional|allow_\w+|implicit_reexport)$|`+
		`^mypy.*\.(ignore_errors|ignore_missing_imports)$`),
	kx("C04", looseOff, pyTypes, `mypy.*\.(strict\w*|disallow_\w+|check_untyped_defs|warn_\w+|no_implicit_optional|extra_checks|no_implicit_reexport|strict_equality)$`),
	kx("C04", looseGrow, pyTypes, `(mypy.*\.(exclude|disable_error_code|per_module)|pyright\.(exclude|ignore)|^exclude|^ignore|(ty|pyrefly)\..*(exclude|ignore)|`+
		`project[-_]excludes)$`),
	kx("C04", looseShrink, pyTypes, `(mypy.*\.(files|packages|enable_error_code|plugins)|pyright\.(include|strict)|^include|^strict)$`),
	kx("C04", looseChange, pyTypes, `mypy.*\.follow_imports$`),
	kx("C04", looseWord, pyTypes, `typeCheckingMode$`),
	kx("C04", looseLevel, pyTypes, `(report\w+|tool\.ty\.rules\..*|rules\.[\w-]+)$`),
	kx("C04", looseOff, pyTypes, `(pyright\.|^)(strict\w+|enableTypeIgnoreComments=false)$`),
	// ruff, flake8, pylint, bandit
	kx("C03", looseShrink, pyLint, `(ruff(\.lint)?|^lint|^)\.?(select|extend-select|fixable=no)$|flake8\.(select|extend-select|enable)$|pylint.*\.(enable|load-plugins)$`),
	kx("C03", looseGrow, pyLint, `(ruff(\.lint)?|flake8|^lint|^)\.?(ignore|extend-ignore|exclude|extend-exclude|per-file-ignores.*|extend-per-file-ignores.*|`+
		`unfixable=no)$|flake8\.per-file-ignores$|pylint.*\.(disable|ignore|ignore-patterns|ignore-paths|ignored-modules|ignored-classes)$|`+
		`bandit.*\.(skips|exclude_dirs|exclude)$|per_file_ignores`),
	kx("C03", looseUp, pyLint, `(max-complexity|max-line-length|line-length|max-args|max-branches|max-statements|max-returns|max-locals|max-doc-length)$`),
	kx("C03", looseDown, pyLint, `fail[-_]under$`),
	kx("C03", looseOn, pyLint, `(exit[-_]zero|force-exclude=no|preview=no)$`),
	kx("C03", looseShrink, pyLint, `(pylint.*|main)\.fail-on$`),
	// jest, vitest
	kx("C01", looseShrink, jestFiles, `(^|jest\.|test\.|projects.*\.)(testMatch|testRegex|roots|projects|include|test\.include|moduleFileExtensions|setupFilesAfterEnv=no)$`),
	kx("C01", looseGrow, jestFiles, `(^|jest\.|test\.|projects.*\.)(testPathIgnorePatterns|modulePathIgnorePatterns|watchPathIgnorePatterns=no|exclude)$`),
	kx("C01", looseChange, jestFiles, `(^|jest\.|test\.)(testNamePattern|onlyChanged|findRelatedTests|filter|changed|changedSince|shard|dir)$`),
	kx("C02", looseOn, jestFiles, `(^|jest\.|test\.)(passWithNoTests|allowOnly|dangerouslyIgnoreUnhandledErrors|bail=no|isolatedModules|ignoreSourceErrors|`+
		`typecheck\.ignoreSourceErrors|onlyFailures|forceExit=no)$|diagnostics\.warnOnly$|typecheck\.ignoreSourceErrors$`),
	kx("C02", looseOff, jestFiles, `(diagnostics|errorOnDeprecated|injectGlobals=no|typecheck\.enabled|test\.globals=no|expect\.requireAssertions)$`),
	kx("C06", looseUp, jestFiles, `(^|jest\.|test\.)(retry|retries|testTimeout|hookTimeout|teardownTimeout|retryTimes|slowTestThreshold=no)$`),
	kx("S02", looseOn, jestFiles, `(^|jest\.|test\.)(update|updateSnapshot)$`),
	kx("S02", looseOff, jestFiles, `^(jest\.)?ci$`),
	kx("R04", looseChange, jestFiles, `(^|jest\.|test\.)(testRunner|runner|testEnvironment=no|testResultsProcessor)$`),
	kh("E06", looseAny, jestFiles, `(^|jest\.|test\.)(setupFiles|setupFilesAfterEnv|globalSetup|reporters|snapshotSerializers|transform=no)$`),
	kx("C12", looseAny, jestFiles, `(moduleNameMapper|alias|resolve\.alias)\.(.*(jest|vitest|chai|assert|expect|testing-library|sinon).*)$`),
	// mocha, ava, Playwright, Cypress, karma
	kx("C01", looseShrink, mochaFiles+"|"+playFiles, `(^|mocha\.|ava\.)(spec|files|extension|testMatch|testDir|specPattern|projects.*\.testMatch)$`),
	kx("C01", looseGrow, mochaFiles+"|"+playFiles, `(^|mocha\.|e2e\.|component\.|projects.*\.)(ignore|exclude|testIgnore|excludeSpecPattern|ignoreTestFiles)$`),
	kx("C01", looseChange, mochaFiles+"|"+playFiles, `(^|mocha\.|ava\.|projects.*\.)(grep|fgrep|invert|grepInvert|match|only)$`),
	kx("C02", looseOff, mochaFiles+"|"+playFiles, `(^|mocha\.)(forbid-?only|forbid-?pending|forbidOnly|forbidPending|check-leaks|failZero|failOnEmptyTestSuite|fail-zero|`+
		`failWithoutAssertions|failOnFlakyTests)$`),
	kx("C02", looseOn, mochaFiles+"|"+playFiles, `(^|mocha\.)(pass-on-failing-test-suite|passOnFailingTestSuite|allow-uncaught|dry-run|pass-with-no-tests|passWithNoTests|`+
		`ignoreSnapshots|failOnStatusCode=no)$`),
	kx("C06", looseUp, mochaFiles+"|"+playFiles, `(^|mocha\.|projects.*\.|use\.|e2e\.)(retries|timeout|defaultCommandTimeout|expect\.timeout|actionTimeout|globalTimeout|`+
		`retries\.\w+|slow)$`),
	kh("E06", looseAny, mochaFiles+"|"+playFiles, `(^|mocha\.|ava\.)(require|file|import|node-option|loader)$`),
	kx("S02", looseChange, playFiles, `updateSnapshots$`),
	kx("A05", looseUp, playFiles, `(maxDiffPixels|maxDiffPixelRatio|threshold)$`),
	// tsc
	kx("C04", looseOn, tsFiles, `compilerOptions\.(skipLibCheck|skipDefaultLibCheck|allowUnreachableCode|allowUnusedLabels|suppress\w+|noCheck|noLib|`+
		`keyofStringsOnly|allowJs=no|noResolve)$`),
	kx("C04", looseOff, tsFiles, `compilerOptions\.(strict\w*|no(Implicit|Unchecked|Unused|Fallthrough|Property|Error|EmitOnError)\w*|exactOptionalPropertyTypes|`+
		`checkJs|alwaysStrict|useUnknownInCatchVariables|forceConsistentCasingInFileNames|isolatedDeclarations|erasableSyntaxOnly|`+
		`verbatimModuleSyntax)$`),
	kx("C04", looseGrow, tsFiles, `^exclude$`),
	kx("C04", looseShrink, tsFiles, `^(include|files|references)$`),
	// eslint, biome
	kx("C03", looseLevel, jsLint, `rules\..+$|^rules$`),
	kx("C03", looseGrow, jsLint, `(ignores|ignorePatterns|globalIgnores|files\.ignore|linter\.ignore|excludedFiles|ignoreFiles|lint\.exclude)$`),
	kx("C03", looseShrink, jsLint, `(extends|plugins|files\.includes?|linter\.includes?)$`),
	kx("C03", looseOff, jsLint, `(linter\.enabled|recommended|reportUnusedDisableDirectives|reportUnusedInlineConfigs|noInlineConfig|denyWarnings)$`),
	kx("C03", looseLevel, jsLint, `(linterOptions\.\w+|categories\.\w+)$`),
	// Go
	kx("C03", looseShrink, goLint, `^linters\.(enable|enable-all)$|^formatters\.enable$`),
	kx("C03", looseGrow, goLint, `^linters\.disable$|(exclusions|issues).*(paths|exclude.*|rules.*|presets|generated)|run\.(skip-\w+|build-tags)$|`+
		`linters-settings.*\.(exclude\w*|ignore\w*|disable\w*|skip\w*)$|linters\.settings.*\.(exclude\w*|ignore\w*|disable\w*|skip\w*|`+
		`exclude-functions)$`),
	kx("C02", looseAny, goLint, `(issues-exit-code)$`),
	kx("C02", looseOff, goLint, `run\.tests$`),
	kx("C03", looseOn, goLint, `(issues\.new|disable-all|whole-files|allow-parallel-runners=no|allow-serial-runners=no|exclude-use-default|exclude-generated=no)$`),
	kx("C11", looseChange, goLint, `(new-from-rev|new-from-patch|new-from-merge-base)$`),
	kx("C03", looseChange, goLint, `^linters\.default$`),
	kx("C03", looseLevel, goLint, `severity\.\w+$`),
	kx("C03", looseUp, goLint, `(min-complexity|max-\w+|lines|statements|line-length|cyclop.*)$`),
	// cargo
	kx("C01", looseOff, cargoFiles, `^(lib|bin.*|test.*|example.*)\.(test|doctest|harness)$|^package\.(autotests|autobins=no)$`),
	kx("C01", looseShrink, cargoFiles, `^workspace\.(members|default-members)$`),
	kx("C01", looseGrow, cargoFiles, `^workspace\.exclude$|^package\.exclude=no$`),
	kx("C01", looseAny, cargoFiles, `^test\..*required-features$`),
	kx("C10", looseLevel, cargoFiles, `lints\..+$`),
	kx("C03", looseUp, cargoFiles, `^(cognitive-complexity-threshold|too-many-\w+|type-complexity-threshold|\w+-threshold)$`),
	kx("C03", looseOn, cargoFiles, `^allow-(unwrap|expect|panic|dbg|print|indexing)\w*`),
	kx("C08", looseOff, cargoFiles, `profile\.(test|dev)\.(debug-assertions|overflow-checks)$`),
	kx("C12", looseAny, cargoFiles, `^patch\..*(proptest|rstest|insta|mockall|pretty_assertions|assert_cmd|quickcheck|criterion|test-case|serial_test|approx|float-cmp|`+
		`tokio-test|trybuild)`),
	kh("C12", looseShrink, `(^|/)rust-toolchain\.toml$`, `components$`),
	kx("C01", looseChange, nextest, `(default-filter|default-miri-filter)$`),
	kx("C06", looseUp, nextest, `(retries|retries\.count|slow-timeout|slow-timeout\.period|leak-timeout|terminate-after)$`),
	kx("C02", looseChange, nextest, `(flaky-result|leak-timeout\.result|junit\.flaky\w*|on-timeout)$`),
	kx("C06", looseAny, nextest, `overrides.*(retries|slow-timeout.*)$`),
	// Maven
	kx("C02", looseOn, pomFiles, `(skipTests|skipITs|skip|maven\.test\.skip|testFailureIgnore|skipExec|maven\.test\.failure\.ignore|skipITs|skipUnitTests|`+
		`enforcer\.skip|checkstyle\.skip|spotbugs\.skip|pmd\.skip|jacoco\.skip|surefire\.skip\w*|failNever)$`),
	kx("C02", looseOff, pomFiles, `(failIfNoTests|failIfNoSpecifiedTests|failOnViolation|failsOnError|failOnError|failOnWarning|showWarnings=no|enableAssertions|trimStackTrace=no)$`),
	kx("C03", looseDown, pomFiles, `pmd.*failurePriority$`),
	kx("C01", looseGrow, pomFiles, `(surefire|failsafe|checkstyle|pmd|spotbugs).*(excludes\.exclude|excludedGroups|testExcludes\.testExclude|excludesFile)$|`+
		`testExcludes\.testExclude$|(surefire|failsafe).*excludes$`),
	kx("C01", looseAny, pomFiles, `(surefire|failsafe).*(includes\.include|\.groups|\.test|includesFile|suiteXmlFile|dependenciesToScan.*|testSourceDirectory)$|testSourceDirectory$`),
	kx("C06", looseUp, pomFiles, `(rerunFailingTestsCount|forkedProcessTimeoutInSeconds|parallelTestsTimeout\w*|skipAfterFailureCount)$`),
	kx("C10", looseGrow, pomFiles, `compilerArgs\.arg=no$`),
	kx("C03", looseLevel, pomFiles, `(violationSeverity|\.threshold|failureLevel)$`),
	kx("C03", looseUp, pomFiles, `(maxAllowedViolations|priority)$`),
	kx("C03", looseAny, pomFiles, `(suppressionsLocation|excludeFilterFile|excludeFromFailureFile|suppressionsFile)$`),
	kx("C01", looseShrink, pomFiles, `modules\.module$`),
	kx("C02", looseShrink, pomFiles, `goals\.goal$`),
	kx("C12", looseAny, pomFiles, `dependency\[.*(junit|assertj|mockito|testng|hamcrest).*systemPath$`),
	kx("C02", looseOn, `(^|/)testng[\w-]*\.xml$`, `@skipfailedinvocationcounts$`),
	kx("C02", looseChange, `(^|/)testng[\w-]*\.xml$`, `@configfailurepolicy$`),
	kx("C10", looseLevel, `(^|/)gradle\.properties$`, `warning\.mode$`),
	// Gradle
	kx("C02", looseOn, gradleF, `ignoreFailures$|ignoreExitValue$|isIgnoreFailures$`),
	kx("C02", looseOff, gradleF, `(failOnNoMatchingTests|isFailOnNoMatchingTests|failFast=no|allWarningsAsErrors|abortOnError|checkReleaseBuilds|warningsAsErrors|`+
		`enableAssertions|failOnNoDiscoveredTests|failOnPassedAfterRetry|buildUponDefaultConfig|checkDependencies|isAbortOnError)(\.set)?$`),
	kx("C01", looseOff, gradleF, `(^|\.)(test|tests?\w*|check|Test|\w*Test|detekt|ktlint\w*|lint\w*|checkstyle\w*|pmd\w*|spotbugs\w*)\.(enabled|isEnabled)$`),
	kx("C01", looseGrow, gradleF, `(excludeTestsMatching|excludeTags|excludeCategories|excludeGroups|excludeTest|excludePatterns|excludeEngines|exclude)$`),
	kx("C01", looseAny, gradleF, `(test|Test|filter).*(includeTestsMatching|includeTags|includeEngines|include|includeTest|onlyIf|setIncludes|forkEvery=no|excludes|includes)$`),
	kx("C06", looseUp, gradleF, `(maxRetries|maxFailures|timeout)(\.set)?$`),
	kx("C03", looseUp, gradleF, `(maxWarnings|maxErrors|maxIssues|ruleSetConfig=no)(\.set)?$`),
	kx("C11", looseAny, gradleF, `(^|\.)baseline(\.set)?$`),
	kx("C03", looseGrow, gradleF, `(disable|ignore|lint.*disable|disabledRules|excludeFilter)(\.set)?$`),
	kx("C10", looseShrink, gradleF, `options\.compilerArgs$`),
	kx("C01", looseOff, gradleF, `useJUnitPlatform$`),
	// Ruby
	kx("C03", looseGrow, rubyLint, `(Exclude|AllowedMethods|AllowedPatterns|IgnoredMethods|ignore|exclude_paths|exclude|inherit_from=no)$`),
	kx("C03", looseOff, rubyLint, `(Enabled|EnabledByDefault|StyleGuideCopsOnly=no)$`),
	kx("C03", looseOn, rubyLint, `DisabledByDefault$`),
	kx("C03", looseUp, rubyLint, `\.(Max|CountAsOne=no)$`),
	kx("C03", looseShrink, rubyLint, `(AllCops\.Include|^require|^plugins|NewCops)$`),
	kx("C03", looseLevel, rubyLint, `(Severity|fail-level)$`),
	kx("C11", looseAny, rubyLint, `inherit_from$`),
	// PHP
	kx("C01", looseShrink, phpunitF, `testsuites?\..*(directory|file)$|testsuites?\.testsuite.*(directory|file)$`),
	kx("C01", looseGrow, phpunitF, `(testsuite.*exclude|groups\.exclude\.group|exclude\.(directory|file))$`),
	kx("C01", looseAny, phpunitF, `(groups\.include\.group|@defaultTestSuite|@filter)$`),
	kx("C02", looseOff, phpunitF, `@(failOn\w+|beStrictAbout\w+|convert\w+ToExceptions|enforceTimeLimit|requireCoverageMetadata|displayDetails\w*=no)$`),
	kx("C02", looseOn, phpunitF, `@(stopOn\w+|processIsolation=no|ignore\w+|restrict\w+|executionOrder=no)$`),
	kx("C06", looseUp, phpunitF, `@(timeoutFor\w+|defaultTimeLimit)$`),
	kx("C02", looseChange, phpunitF, `ini\[(error_reporting|assert\.\w+|zend\.assertions)\]\.@value$`),
	kh("E06", looseAny, phpunitF, `(@bootstrap|extensions?\..*@class|ini\[.*\]\.?@value|listeners?\..*@class)$`),
	kx("C04", looseDown, phpstanF, `parameters\.level$|^level$`),
	kx("C04", looseUp, phpstanF, `@errorLevel$`),
	kx("C04", looseGrow, phpstanF, `(ignoreErrors.*|excludePaths.*|excludes_analyse|ignoreFiles.*|issueHandlers\..*|exclude-pattern|rule\..*exclude.*|`+
		`source\.excludes|scanFiles=no|suppress.*@\w+)$`),
	kx("C04", looseShrink, phpstanF, `(parameters\.paths|projectFiles\.directory\.@name|source\.directories|file|rule\[.*)$`),
	kx("C04", looseOff, phpstanF, `(reportUnmatchedIgnoredErrors|treatPhpDocTypesAsCertain|checkMissing\w*|strictRules\..*|checkImplicitMixed|strict\w+|`+
		`findUnused\w*|@totallyTyped|@strictBinaryOperands|polluteScopeWith\w*=no|checkUninitializedProperties|tmpDir=no|bleedingEdge)$`),
	kx("C11", looseAny, phpstanF, `(@errorBaseline)$`),
	// .NET
	kx("C10", looseOff, netFiles, `(TreatWarningsAsErrors|CodeAnalysisTreatWarningsAsErrors|MSBuildTreatWarningsAsErrors|EnforceCodeStyleInBuild|EnableNETAnalyzers|`+
		`RunAnalyzers\w*|RunCodeAnalysis)$`),
	kx("C10", looseGrow, netFiles, `(NoWarn|WarningsNotAsErrors|MSBuildWarningsAsMessages)$`),
	kx("C10", looseShrink, netFiles, `WarningsAsErrors$`),
	kx("C04", looseWord, netFiles, `\.(Nullable|AnalysisLevel|AnalysisMode)$`),
	kx("C10", looseDown, netFiles, `WarningLevel$`),
	kx("C10", looseAny, netFiles, `(TreatWarningsAsErrors|WarningsAsErrors|EnforceCodeStyleInBuild|Nullable)\.@Condition$`),
	kx("C05", looseShrink, netFiles, `ThresholdType$`),
	kh("C01", looseShrink, netFiles, `TargetFrameworks$`),
	kx("C01", looseAny, netFiles, `(Compile\.@(Remove|Exclude|Update=no)|(Compile|None|EmbeddedResource).*@Remove|VSTestTestCaseFilter|TestCaseFilter|@Condition=no|`+
		`DefaultItemExcludes|EnableDefaultCompileItems=no)$`),
	kx("C01", looseOff, netFiles, `(IsTestProject|EnableDefaultCompileItems|EnableDefaultItems|TestingPlatformDotnetTestSupport=no)$`),
	kx("C02", looseOff, netFiles, `(failSkips|failWarns|TreatNoTestsAsError|TreatTestAdapterErrorsAsErrors|FailOnSkips)$`),
	kx("C02", looseOn, netFiles, `(ContinueOnError|SkipTests|VSTestNoBuild=no|TreatNoTestsAsError=no)$`),
	kx("C06", looseUp, netFiles, `(TestSessionTimeout|longRunningTestSeconds|DefaultTimeout|RetryCount)$`),
	kx("C03", looseLevel, editorconf+"|"+netFiles, `(severity|dotnet_diagnostic\..*|dotnet_analyzer_diagnostic.*|@Action|csharp_style_\w+|dotnet_style_\w+|dotnet_code_quality.*=no)$`),
	kx("C03", looseOn, editorconf, `(generated_code)$`),
	kx("C03", looseLevel, editorconf, `ktlint_[\w-]+$`),
	// detekt, SwiftLint, clang-tidy, Xcode
	kx("C03", looseOff, ktFiles, `\.active$|(warningsAsErrors|validation|checkExhaustiveness)$`),
	kx("C03", looseUp, ktFiles, `(maxIssues|threshold|allowed\w+|maxLineLength|excessive\w+)$`),
	kx("C03", looseGrow, ktFiles, `(excludes|ignore\w*|exclude\w*)$`),
	kx("C03", looseGrow, swiftLint, `(excluded|disabled_rules|.*\.excluded)$`),
	kx("C03", looseShrink, swiftLint, `(included|opt_in_rules|only_rules|analyzer_rules)$`),
	kx("C03", looseUp, swiftLint, `(warning_threshold|\.(warning|error)|^line_length|_length|_complexity)$`),
	kx("C03", looseLevel, swiftLint, `(severity|\.severity)$`),
	kx("C02", looseOff, swiftLint, `^strict$`),
	kx("C02", looseOn, swiftLint, `^lenient$`),
	kx("C11", looseAny, swiftLint, `^baseline$`),
	kx("C01", looseGrow, xctest, `(skippedTests|skippedTags.*)$`),
	kx("C01", looseAny, xctest, `(selectedTests|selectedTags.*)$`),
	kx("C06", looseUp, xctest, `(maximumTestRepetitions|\w*ExecutionTimeAllowance)$`),
	kx("C06", looseChange, xctest, `testRepetitionMode$`),
	kx("C02", looseOff, xctest, `(^testTargets.*\.enabled|addressSanitizer.*|threadSanitizerEnabled|undefinedBehaviorSanitizerEnabled|testTimeoutsEnabled=no)$`),
	kx("C03", looseShrink, clangTidy, `^(Checks|WarningsAsErrors)$`),
	kx("C03", looseChange, clangTidy, `^HeaderFilterRegex$`),
	// advisories and licences
	kh("C03", looseGrow, `(^|/)(audit|deny)\.toml$`, `(advisories\.(ignore|informational_warnings)|bans\.(skip|skip-tree)|licenses\.(allow|exceptions).*)$`),
	// anywhere
	kx("C10", looseOff, anyFile, `(warnings[-_]as[-_]errors|warningsAsErrors|treat_warnings_as_errors|werror)$`),
	// tools and files that a row above does not name
	kx("C05", looseDown, `(^|/)bunfig\.toml$`, `coverageThreshold(\..*)?$`),
	kx("C05", looseGrow, `(^|/)sonar-project\.properties$`, `exclusions$`),
	kx("C03", looseGrow, `(^|/)\.?pylintrc$`, `(^|\.)(disable|ignore|ignore-patterns|ignore-paths)$`),
	kx("C03", looseGrow, `(^|/)\.bandit$`, `(skips|exclude_dirs|exclude)$`),
	kx("C03", looseOff, goLint, `^linters[-.]settings\..*\.(check-\w+|enable-all|strict\w*|require-\w+)$`),
	kx("C03", looseDown, gradleF, `rulesMinimumPriority(\.set)?$`),
	kx("C03", looseOff, gradleF, `(allRules|isAllRules)(\.set)?$`),
	kx("C03", looseLevel, `(^|/)lint\.xml$`, `@severity$`),
	kx("C03", looseOff, `(^|/)\.swift-format$`, `^rules\.`),
	kx("C01", looseAny, phpunitF, `directory.*@(suffix|prefix)$`),
	kx("C08", looseOn, `(^|/)tox\.ini$`, `ignore_outcome$`),
	kx("C08", looseShrink, `(^|/)tox\.ini$`, `(^|\.)env_?list$`),
	kx("C08", looseOn, `(^|/)taskfile\.ya?ml$`, `ignore_error$`),
	kx("C08", looseAny, `(^|/)taskfile\.ya?ml$`, `\.platforms$`),
	kh("C08", looseAny, `(^|/)taskfile\.ya?ml$`, `\.status$`),
	kx("C01", looseOn, `(^|/)junit-platform\.properties$`, `dry-?run\.enabled$`),
	kh("E06", looseOn, `(^|/)junit-platform\.properties$`, `autodetection\.enabled$`),
	kh("E06", looseAny, `(^|/)junit-platform\.properties$`, `conditions\.deactivate$`),
	kh("E06", looseAny, `(^|/)gradle\.properties$`, `skip`),
	kh("C01", looseGrow, anyFile, `(^|[._-])tests?[-_](skip|exclude|ignore)s?$`),
}

// keyRuleOf finds the row for a key of a file.
func keyRuleOf(p, key string) (keyRule, bool) {
	l := strings.ToLower(p)
	if baseName(l) == "package.json" && !strings.Contains(key, ".") && key != "rules" {
		return keyRule{}, false // its own keys, and none of a runner's
	}
	for _, r := range keyRules {
		if r.file.MatchString(l) && r.key.MatchString(key) {
			return r, true
		}
	}
	return keyRule{}, false
}
