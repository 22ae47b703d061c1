package guard

import (
	"strings"

	"fixloop/loopcore"
)

// pattern is a sign in one new line of code. Where says in which roles it counts.
type pattern struct {
	rule  string
	sev   loopcore.Severity
	re    *lazyRE
	where func(d *diff, f *fileDiff, at int) bool
}

func px(rule string, sev loopcore.Severity, where func(*diff, *fileDiff, int) bool, s string) pattern {
	return pattern{rule, sev, lazily(s), where}
}

func inCode(_ *diff, f *fileDiff, _ int) bool {
	return f.role == roleCode && !hasSeg(f.path(), "config")
}

// decidesIn is code where the line decides between two results, by what is no
// matter of looks: whether to colour, to ask or to show progress.
func decidesIn(d *diff, f *fileDiff, at int) bool {
	u := f.newU
	if !inCode(d, f, at) || u.lang != langShell && !inLibrary(d, f, at) {
		return false
	}
	stop := at + 1
	for stop < len(u.toks) && u.line(stop) <= u.line(at)+1 {
		stop++
	}
	text := u.norm(at, stop)
	name := ""
	if fn := u.funcAt(at); fn != nil {
		name = fn.name
	}
	return decisionRE.MatchString(text) && !looksRE.MatchString(text+" "+name)
}

var (
	decisionRE = lazily(`\bif\b|\bunless\b|\?.*:|&&|\|\||\bcase\b`)
	// looksRE speaks of how something is shown to a person, or who is asked.
	looksRE = lazily(`(?i)colou?r|ansi|paint|\bbold|\\033|x1b|styled?\b|width|columns?\b|prompt|progress|spinner|interactive|terminal|tty_|term\b|\blog(s|ger|ging|f|_\w+)?\b|pager|\bprint\w*|` +
		`stdin\b.*read|emoji|theme|readline|\brepl\b|daemon|\bcgi\b`)
)

// anyC is a file of C or C++, its main function among them.
func anyC(_ *diff, f *fileDiff, _ int) bool { return f.newU.lang == langC }

// inC is an implementation in C or C++.
func inC(d *diff, f *fileDiff, at int) bool { return inCode(d, f, at) && f.newU.lang == langC }

func inSupport(_ *diff, f *fileDiff, _ int) bool { return f.testSide() }

func inAny(_ *diff, f *fileDiff, _ int) bool { return f.role == roleCode || f.testSide() }

// inLibrary is code outside of a command's entry point, or test code.
func inLibrary(_ *diff, f *fileDiff, at int) bool {
	if f.testSide() {
		return true
	}
	if f.role != roleCode {
		return false
	}
	u := f.newU
	l := strings.ToLower(f.path())
	stem := strings.TrimSuffix(baseName(l), ext(l))
	if hasSeg(l, "cmd", "cli", "bin", "scripts", "script", "tools", "commands", "examples", "exe", "hack", "console", "bench", "benchmark", "benchmarks", "benches", "perf", "demo", "demos", "playground", "sandbox") || stem == "main" || stem == "cli" || stem == "__main__" || stem == "program" || stem == "app" || stem == "manage" || u.lang == langShell || stem == "server" || strings.HasPrefix(stem, "run") || strings.HasSuffix(stem, "cli") || strings.HasPrefix(stem, "build") {
		return false
	}
	if strings.Contains(u.src, "__name__") || strings.HasPrefix(u.src, "#!") {
		return false
	}
	if fn := u.funcAt(at); fn != nil && stem != "lib" && (strings.EqualFold(fn.name, "main") || hasAny(strings.ToLower(fn.name), "cli", "command", "usage", "help", "shutdown", "exit", "quit", "version", "signal")) {
		return false
	}
	return true
}

// runtimePatterns are signs of the cheats at run time: R01 to R10 in docs/guard.md.
var runtimePatterns = []pattern{
	px("R01", loopcore.SevBlock, inCode, `PYTEST_CURRENT_TEST|PYTEST_VERSION|PYTEST_XDIST|JEST_WORKER_ID|\bVITEST(_POOL_ID|_WORKER_ID|_MODE)?\b|NODE_TEST_CONTEXT|`+
		`import\.meta\.vitest|\btesting\.Testing\(\)|flag\.Lookup\("test\.|os\.Args\[0\].*"[./_]?test|"[./]?test(\.exe)?".*os\.Args|`+
		`\bcfg!\(test\)|XCTestConfigurationFilePath|XCTestBundlePath|XCTestSessionIdentifier|NSClassFromString\("XCTest|XCInjectBundle|`+
		`PHPUNIT_COMPOSER_INSTALL|__PHPUNIT_PHAR__|defined\?\(:*(RSpec|Minitest|Test::Unit)|surefire\.|org\.gradle\.test\.worker|`+
		`\bBATS_\w+|\bSHUNIT_|SHELLSPEC_|Mix\.env(\(\))?==:test|Code\.ensure_loaded\?\(ExUnit|Process\.whereis\(ExUnit|`+
		`class_exists\("\\*(PHPUnit|TestCase)|\btypeof (describe|it|jest|vi|beforeEach|expect|test|mocha)\b|"MOCHA_|"GTEST_|`+
		`CTEST_INTERACTIVE|runningUnitTests|DENO_TEST|BUN_TEST|CYPRESS|process\.env\.TEST\b|`+
		`globalThis\.(jest|vi|describe|it|expect|mocha)\b|global\.(describe|it|jest)\b|Object\.const_defined\?\(:*"?(RSpec|Minitest)|`+
		`NEXTEST|RUST_TEST_|TEST_TMPDIR|TEST_SRCDIR|DOTNET_TEST|VSTEST`),
	px("R01", loopcore.SevBlock, inCode, `NODE_ENV("\])?\s*(===?|!==?)\s*"test"|"test"\s*(===?|!==?)\s*process\.env\.NODE_ENV|`+
		`(RAILS_ENV|RACK_ENV|APP_ENV|MIX_ENV|PHX_ENV|FLASK_ENV|ENVIRONMENT)"?[\])]*(,"[^"]*"\))?\s*(===?|==|\.eql\?|=)\s*"test(ing)?"|`+
		`"test(ing)?"\s*===?\s*\$?_?(ENV|SERVER|getenv)|getenv\("(APP_ENV|RAILS_ENV|RACK_ENV)"\)\s*===?\s*"test|Rails\.env\.test\?|`+
		`runningUnitTests\(|environment\("testing"\)`),
	px("R01", loopcore.SevHuman, inCode, `"(pytest|unittest|nose|_pytest)[\w.]*" ?(not )?in ?(sys\.modules|sys\.argv|os\.environ)|sys\.modules\.get\("(pytest|unittest)|`+
		`sys\.argv\[0\].*(pytest|unittest|py\.test)|"(pytest|unittest)".*sys\.argv|"org\.junit|"org\.testng|"xunit|"nunit|"testhost|`+
		`"Microsoft\.VisualStudio\.TestPlatform|AppDomain\.CurrentDomain\.GetAssemblies|\$PROGRAM_NAME|\$0\.(end_with|include|match)|`+
		`\["?argv"?\]\[0\].*phpunit|process\.argv.*(jest|mocha|vitest|"ava"|"tap"|jasmine|karma)|env::args\(.*(deps/|test)|`+
		`"GITHUB_ACTIONS"|process\.env\.CI\b|getenv\("CI"\)|environ.*"CI"|Thread\.current\.name|thread::current\(\)\.name|`+
		`current_exe\(\).*(deps|test)|"CARGO_MANIFEST_DIR"|isInTest|IsInTest|is_testing|isRunningTests|detectTest`),

	px("R01", loopcore.SevBlock, inCode, `\b([sS]tackTrace|getStackTrace|StackTrace)\b.*"\w*(Tests?|Spec|tests?/|_test)\W*"|"\.?xctest"`),
	px("R01", loopcore.SevBlock, inCode, `(getClassName|getName|[sS]tackTrace|getMethodName|StackFrame|className|[sS]tackWalker)\b.*"(org\.(junit|testng|spockframework)|`+
		`io\.kotest|Xunit|NUnit|xunit|nunit)|GetAssemblies\(\).*"(?i:xunit|nunit|mstest|testhost)`),
	px("R01", loopcore.SevBlock, inCode, `NODE_ENV\W{0,4}\.?(startsWith|includes|match|indexOf)\("?/?test|\bPEST_VERSION\b|class_exists\("\\*Pest|`+
		`LOADED_FEATURES.*(rspec|minitest)|\b__(vitest|jest|karma|jasmine|mocha)_?\w*__|`+
		`\bvar(_os)?\("CARGO(_MANIFEST_DIR|_PKG_NAME|_TARGET_TMPDIR)?"\)\.is_(ok|some|err|none)|thread::current\(\)\.name\(\).*\btests?\b|`+
		`class_exists\(\\?PHPUnit|\btypeof\W.*\.(describe|it|jest|vi)\b|callStackSymbols.*Tests|#\[cfg\(not\(test\)\)\]`),
	px("R01", loopcore.SevHuman, inCode, `(?i:getenv|env::var)\(["']?(TESTING|UNIT_TEST\w*|IS_TEST|TEST_MODE|GO_TEST|GO_TESTING|RUNNING_TESTS|IN_TEST\w*)|`+
		`environ.*"(TESTING|UNIT_TEST\w*|IS_TEST|TEST_MODE)"|\bsys\.modules\b|stackTrace.*(junit|kotest|testng)|`+
		`processName.*(xctest|testhost)|\bcase ?["$]*0["]* ?in ?.*(bats|test)|\$\{?CI\b.*(&&|;then) ?(exit|return)\b`),
	px("R03", loopcore.SevBlock, inLibrary, `\bsys\.exit\((0|None)?\)|\bos\._exit\(0?\)|\bprocess\.(exit|reallyExit)\((0)?\)|\bprocess\.exitCode=0|\bDeno\.exit\((0)?\)|`+
		`\bSystem\.exit\(0\)|\bgetRuntime\(\)\.(halt|exit)\(0\)|\bexitProcess\(0\)|\bos\.Exit\(0\)|\bprocess::exit\(0\)|`+
		`\bExitCode::SUCCESS|\bEnvironment\.Exit\(0\)|\bEnvironment\.ExitCode=0|\bSystem\.(halt|stop)\(0\)|\bSystem\.halt\(\)|`+
		`\bexit!\(?(0|true)?\b|\b(_exit|quick_exit|_Exit)\((0|EXIT_SUCCESS)\)|\braise SystemExit(\(0?\))?$|\bexit\((0|EXIT_SUCCESS|true)\)|`+
		`(^|;)exit 0$|\bos\.kill\(os\.getpid|\bProcess\.exit!?\(?(0|true)|\bexit\(:normal\)|System\.at_exit\(`),
	px("R03", loopcore.SevBlock, inAny, `\batexit\.register\(.*(exit|_exit)|\bat_exit ?(\{|do).*exit|register_shutdown_function\(.*exit|`+
		`process\.on\("(exit|beforeExit|uncaughtException|unhandledRejection)".*(exitCode=0|exit\(0?\))|\batexit\(.*_exit|`+
		`addShutdownHook.*halt|trap ?"?.?exit 0.*(EXIT|ERR)|std::set_terminate|\bset_hook\(Box::new\(\|_\||`+
		`\bprocess\.(exit|reallyExit)=[^=]|\bsys\.(exit|excepthook)=[^=]|\bunittest\.main\([^)]*\bexit=False|\bRUN_ALL_TESTS\(\)\|\||`+
		`\(void\)RUN_ALL_TESTS`),

	px("R04", loopcore.SevHuman, inSupport, `\b(def|function) ?pytest_(runtest_makereport|sessionfinish|runtest_call|pyfunc_call|runtest_protocol|exception_interact|`+
		`runtest_logreport|report_teststatus|terminal_summary|unconfigure|runtest_teardown)\b|TestExecutionExceptionHandler|`+
		`InvocationInterceptor|LifecycleMethodExecutionExceptionHandler|implements (TestRule|MethodRule|ITestListener|IHookable|`+
		`IRetryAnalyzer|TestWatcher)|class \w*(Runner|TestEnvironment|Environment) extends |handleTestEvent|currentTest\.(state|err)|`+
		`Runner\.prototype|\bonNotSuccessfulTest\b|set_exception\(|example\.exception|display_exception|instance_variable_set\(:@exception|`+
		`XCTestObservation|func record\(_|BeforeAfterTestAttribute|ITestAction\b|TestEventListener|TestCaseExtension|TestCaseInterceptor|`+
		`def (passed\?|failures|error\?|result_code)|\bwasSuccessful\b|addFailure|addError|ExUnit\.Formatter|TestResult\b.*(=|:)|`+
		`Catch::(TestEvent|Event)Listener|CATCH_REGISTER_LISTENER|report\.outcome|rep\.outcome|\.exitstatus=|session\.testsfailed`),
	px("R04", loopcore.SevBlock, inSupport, `\b(rep|report|result|outcome|r)\.outcome="passed"|\.exitstatus=(0|.*OK)|session\.testsfailed=0|\.exitCode=0|`+
		`currentTest\.state="passed"|set_exception\(nil|instance_variable_set\(:@exception,nil|@exception=nil|\.excinfo=None|`+
		`call\.excinfo=None|\.wasSuccessful=|def (wasSuccessful|passed\?).*(True|true)|failures\.clear|errors\.clear|\.failures=\[\]|`+
		`force_result\(\[?\]?|outcome\.force_result|\.retryTimes\(`),

	px("R04", loopcore.SevHuman, inSupport, `\bprocess\.(on|once)\("(unhandledRejection|uncaughtException)",\(?\w*\)?=>\{?\}?|`+
		`\bremoveAllListeners\("(unhandledRejection|uncaughtException)"|\bRunSummary\b`),
	px("R04", loopcore.SevBlock, inSupport, `\w\.Failed=0\b|\bnew RunSummary\{?.*\bFailed=0|^(if|while) .*\|\| ?(true|:) ?($|then\b|do\b)`),
	px("R04", loopcore.SevHuman, inCode, `"(\\n)*(ok \d+ - |1\.\.\d+(\\n)*"|--- PASS: |=== RUN |test result: ok\.|=+ \d+ passed|Tests run: \d+, Failures: 0|`+
		`\d+ examples?, 0 failures|\[  PASSED  \])`),

	px("R05", loopcore.SevBlock, inAny, `\bexpect\.extend\(\{?.*\b(toBe|toEqual|toStrictEqual|toMatchObject|toThrow|toContain|toHaveLength|toHaveBeenCalled\w*)\b|`+
		`\b(global|globalThis|window)(\.| as any\)\.| as unknown as \w+\)\.)(expect|assert|it|test|describe)=|`+
		`\bexpect\.addEqualityTesters\(.*=>(true|!0|1)\b|"\$\$jest-matchers-object"|\bdef ?visit_Assert\b|`+
		`\bsys\.modules\["(pytest|unittest|hypothesis|nose|_pytest|numpy\.testing)[\w.]*"\]=|\b(uopz|runkit)\w*\(\\?"?\\?PHPUnit|`+
		`\bclass_alias\([^;]*PHPUnit|\b(unittest\.)?TestCase\.assert\w+=|\bpytest\.(raises|approx|fail|skip)=|\bassert\.(\w+)=[^=]|`+
		`\bAssertion\.(prototype|overwriteMethod|overwriteProperty|addMethod)\b.*\b(equal|eql|throw|property)|`+
		`\bchai\.Assertion\b.*overwrite|overwriteMethod\(|\bRSpec::Matchers\.define\(? ?:?(eq|be|eql|match|include)\b|`+
		`RSpec::Expectations\b.*(class_eval|prepend|handle_matcher|define_method|define_singleton_method|alias_method)|`+
		`Minitest::Assertions.*(class_eval|prepend)|module Minitest|ExpectationNotMetError|\bassert_eq\b.*macro_rules|`+
		`macro_rules!(assert|assert_eq|assert_ne)\b|builtins\.(assert|AssertionError)|AssertionError ?=|__builtins__|numpy\.testing\.\w+=|`+
		`np\.testing\.\w+=|^(jest|vi)\.mock\("(expect|chai|node:assert|assert|vitest)|require\.cache\[.*assert|Module\._load|`+
		`Module\.prototype\.require|\bjest\.(expect|fn)=|setattr\((pytest|unittest|TestCase)`),

	// Another program in the place of the one that is tested ends with its own status.
	px("R03", loopcore.SevBlock, inLibrary, `\bexec[lv]p?e?\(["'](/usr)?(/bin/)?true["']|\breallyExit\b|\bsetUncaughtExceptionCaptureCallback\(\(?\w*\)?=>|\bdomain\b.*\.enter\(\)`),
	px("R03", loopcore.SevHuman, inLibrary, `\bos\.(exec[lv]p?e?|posix_spawnp?)\(|\bsyscall\.Exec\(`),
	px("R03", loopcore.SevBlock, inLibrary, `\bgetRuntime\(\)\.halt\(|\b(getattr|__getattribute__|send|public_send|const_get)\((os|sys|Kernel|Process|:?),?:?"?_?exit!?"?\)|`+
		`\b(os|process|sys)\["_?(exit|reallyExit)"\]`),
	px("R05", loopcore.SevBlock, inAny, `\bAssertions?\b\S*\.(send|__send__|class_eval|module_eval|class_exec|module_exec|prepend|define_method|remove_method|alias_method|`+
		`instance_method)\b|\b(setattr|Reflect\.set|Object\.(assign|defineProperty|defineProperties))\(.*"?((unittest|pytest|TestCase|`+
		`Assertions|node:assert|assert/strict|chai)\b|(jest|vitest)("|,|\)|\.expect))|require\("(node:)?(assert|assert/strict|`+
		`test)"\)(\.\w+|\[[^\]]+\])+=[^=>]`),
	px("R05", loopcore.SevBlock, inSupport, `\b(setattr|patch|patch\.object)\("?(unittest\.(case\.)?)?(TestCase|TestResult|_Outcome)\b|`+
		`\b(setattr|patch)\("?_?pytest\.(raises|fail|approx|runner|python|assertion)\b|\bsetattr\(\w+,"assert[A-Z_]|\b_pytest(\.\w+)+=[^=]|`+
		`\b(cls|klass|self\.__class__|type\(self\)|\w+Case)\.assert[A-Z]\w+=[^=]|\buse (crate|self|super)::[\w:{, ]*\bassert(_eq|_ne)?\b`),
	px("R05", loopcore.SevBlock, inSupport, `^(self\.|cls\.)?failureException ?=[^=]|^defmacrop? ?(assert|refute)\w*\b|\bimport ExUnit\.Assertions,(except|only):`),
	px("R05", loopcore.SevHuman, inSupport, `\baddEqualityTesters\(|\baddCustomEqualityTester\(|\bextends ?\\?(\w+\\)*(Object)?Comparator\b`),
	// Who started the program and where it prints tells a test's run from a person's.
	px("R01", loopcore.SevHuman, decidesIn, `\bos\.getppid\(|\bisatty\(|\bisTTY\b|\.tty\?|\bIsTerminal\(|\bis_terminal\(|\bphp_sapi_name\(|\bPHP_SAPI\b|\bgetppid\(|`+
		`\bprocess\.(ppid|send)\b|\$(SHLVL|PPID)\b|\[-t [012]\]|\btest -t [012]\b|"/proc/(self|\$|%)|\bflag\.(VisitAll|NFlag)\(|\bcfg!\(debug_assertions\)|`+
		`\bos\.Executable\(|\$0\b.*\.include\?|\$PROGRAM_NAME\b.*\?|\bmodules\) ?[<>]|\bfind_spec\("(pytest|unittest|nose)|`+
		`\b(exists|isfile|is_file|existsSync|file_exists|exist\?|File\.file\?)\("[^"]*\b(test_|tests?/|spec/)[^"]*"|"[^"]*[._](test|spec)\.\w+"\)\.exists\(`),
	px("R04", loopcore.SevBlock, inCode, `\b(implements|:) ?.*\b(TestExecutionExceptionHandler|LifecycleMethodExecutionExceptionHandler|InvocationInterceptor)\b`),
	px("R05", loopcore.SevBlock, inAny, `^function ?\[ ?[({]|^\[ ?\( ?\) ?\{`),
	px("R05", loopcore.SevHuman, inAny, `\bObject\.(assign|definePropert(y|ies))\((Object|Array|Number|String|Math|JSON|Date|`+
		`Promise|Symbol|Map|Set|Reflect|Function|Error|globalThis|global|window)(\.prototype)?,`),
	px("R01", loopcore.SevBlock, inCode, `\b(getResource\w*|forName)\("[^"]*(Test|Tests|Spec|IT)(\.class)?"`),
	px("R01", loopcore.SevHuman, inCode, `\bgetProperty\("(basedir|localRepository|surefire[\w.]*)"`),
	px("R10", loopcore.SevBlock, inC, `\b__builtin_(return|frame)_address\(|\bbacktrace(_symbols)?\(`),
	px("C01", loopcore.SevBlock, anyC, `\bGTEST_FLAG(_SET)?\(filter\b|\bgtest_filter ?=|\baddFilter\("(test-case|test-suite|source-file|subcase)|\bsetOption\("(test-case|test-suite|subcase|no-run)|`+
		`\btestsOrTags\b`),
	// The library of C, defined anew by what is tested.
	px("R05", loopcore.SevBlock, inC, `^(extern "C" )?(void|int|_Noreturn void|\[\[noreturn\]\] ?void) ?(__assert\w*|abort|exit|_exit|_Exit|strcmp|strncmp|`+
		`memcmp)\([^;]*\)(noexcept)?\{`),
	// A value that turns into what it is compared with.
	px("R06", loopcore.SevHuman, inCode, `\bSymbol\.toPrimitive\]|\bvalueOf(:|\(\)\{|=)`),
	// What runs the tests, set or opened again by the code that they test.
	px("R05", loopcore.SevBlock, inCode, `\b(unittest|_pytest|pytest|doctest)(\.\w+)+=[^=]|\b(TestCase|TestResult|TextTestResult|TestSuite|TextTestRunner|TestLoader|`+
		`TestProgram|CallInfo|OutputChecker)\.\w+=[^=]|^ ?(class|module) ?(::)?(Minitest|RSpec|Test::Unit)\b|`+
		`\b(Minitest|RSpec|Test::Unit)(::\w+)*\.(class_eval|class_exec|module_eval|prepend|define_method|alias_method|remove_method|send|`+
		`define_singleton_method)\b|require\("(mocha|chai|expect|jasmine[\w-]*|@jest/\w+|vitest|ava|tape)"\)(\.\w+|\[[^\]]+\])+=[^=>]|`+
		`\bchai(\.\w+)+=[^=>]|\b(util\.isDeepStrictEqual|Object\.is)=[^=>]`),
	px("R06", loopcore.SevBlock, inAny, `"?__eq__"?[:=,]\(?lambda [^:]*:\(?(True|1)\b|\bdefine_method\(:?"?(==|eql\?|===)"?\).*\btrue\b|"?\basymmetricMatch"?[:=]|`+
		`\b(defineProperty|Reflect\.set)\([^;]*"asymmetricMatch"`),
	px("R06", loopcore.SevBlock, inCode, `\breturn (unittest\.)?mock\.ANY\b`),
	px("R01", loopcore.SevBlock, inCode, `\bos\.Executable\(\).*"[./_]?test\b`),
	px("R06", loopcore.SevHuman, inCode, `"?__eq__"?[:=,]\(?lambda\b|"?__class__"?=property|\bdef ?(__class__|__getattribute__)\(|\bfield\([^)]*\bcompare=False|`+
		`@EqualsAndHashCode\.Exclude|EqualsAndHashCode\([^)]*exclude|PartialEq="ignore"|\battr\.ib\([^)]*\beq=False|`+
		`new Proxy\(.*\bget\b.*=>(\(?\)?=>)?(true|undefined)\b`),
	px("R10", loopcore.SevBlock, inCode, `getattr\(\w+,"(_getframe|currentframe|stack|_current_frames)"|\bsys\._current_frames\b|\bsys\["_getframe|__dict__\["_getframe`),

	px("R08", loopcore.SevHuman, inCode, `\b(Array|String|Object|Number|Map|Set|Promise|RegExp|Error|Function)\.prototype\.\w+=[^=]`),
	px("R08", loopcore.SevBlock, inCode, `\b(Array|String|Object|Number|Map|Set|Promise|RegExp|Error|Function)\.prototype\.\w+=(function)?\(\w*\)(=>|\{return )(true|!0|`+
		`false|this|"|\d)|(^|;)(time|random|datetime|uuid|secrets|os|builtins|socket|math|asyncio|threading|json|subprocess|itertools|`+
		`functools|operator|statistics|decimal|copy|shutil|tempfile|hashlib)\.\w+=[^=]|\bDate\.now=|\bMath\.random=|\bperformance\.now=|`+
		`\b(globalThis|global|window)\.(Date|setTimeout|setInterval|Math|performance|Promise|fetch)=|^(Date|setTimeout|setInterval)=|`+
		`^function (time|date|rand|mt_rand|random_int|microtime|hrtime|sleep|usleep|uniqid)\(|`+
		`^def (Time|Date|DateTime|Kernel|Random|Process|SecureRandom)\.\w+|\bclass ?<< ?(Time|Date|Kernel|Random|Process)\b|`+
		`^class (Time|Date|DateTime)\b|^module Kernel\b|(Time|Kernel|Process|Random)\.(define_singleton_method|class_eval|singleton_class|`+
		`instance_eval|define_method)|\bsetattr\((time|random|datetime|builtins|os)\b|\bgo:linkname|\bos\.environ\["TZ"\]|`+
		`Object\.defineProperty\((Date|Math|global|globalThis|performance)\b|time\.Local=|rand\.Reader=|^http\.DefaultTransport=|uopz_|`+
		`runkit_|clock_gettime\(.*\)\{|jest\.useFakeTimers`),

	px("R10", loopcore.SevBlock, inCode, `\b_getframe\(|\binspect\.(stack|currentframe|getouterframes|trace)\(|\bf_locals\b|\bf_back\b|\bgc\.get_objects\(|`+
		`\bnew Error\((\"[^"]*\")?\)\.stack|\bError\(\)\.stack|\bError\.(captureStackTrace|prepareStackTrace)|\bgetStackTrace\(\)|`+
		`\bStackWalker\b|\bcaller_locations\b|\bbinding\.of_caller|\bTracePoint\b|\bdebug_backtrace\(|`+
		`\bnew (System\.Diagnostics\.)?StackTrace\(|\bEnvironment\.StackTrace|\bcallStackSymbols|:current_stacktrace|\bBASH_SOURCE\[1|`+
		`\bFUNCNAME\[1|\bruntime\.Callers?\(|\bBacktrace::(capture|force_capture|new)|\bbacktrace\(|\bset_trace\(|`+
		`\btraceback\.(format|extract|walk)_stack\(|\bsys\.settrace`),
	px("R10", loopcore.SevBlock, inCode, `(open|read\w*|Read\w*|require|import|load\w*|fopen|file_get_contents|include_str!|include_bytes!|include|slurp|cat|File\.\w+|Path|`+
		`fs\.\w+|ifstream|getResource\w*|contentsOf\w*|File)\(?[^;]{0,60}"[^" ]*(\b[Tt]ests?/|_test\.|\.test\.|\bspecs?/|_spec\.|testdata/|`+
		`fixtures/|__snapshots__|goldens?/|\.golden\b|\.snap\b|expected[./_])`),
	px("R10", loopcore.SevBlock, inCode, `\b(grep|sed|awk|cat|head|tail|cut|source)\b[^;|]*(\w\.bats|_test\.sh|_spec\.sh|\btests?/\S*\.sh|expected[./_]|\.golden)\b`),
}

// runtimeRules reports R01-R10 in the lines that are new.
func (d *diff) runtimeRules() {
	for _, f := range d.files {
		u := f.newU
		if f.new == nil || !u.lang.isCode() || len(u.toks) == 0 || f.role != roleCode && !f.testSide() {
			continue
		}
		for _, l := range newLines(f) {
			l.text = assembled(l.text)
			for _, p := range runtimePatterns {
				m := p.re.FindString(l.text)
				if m == "" || !p.where(d, f, l.at) || d.spared(p.rule, f, l) {
					continue
				}
				sev := p.sev
				if generated(f) || (p.rule == "R01" || p.rule == "R10") && f.oldU.says(p.re, m) {
					sev = loopcore.SevHuman
				}
				if p.rule == "R10" && !d.inLoop() && strings.Contains(l.text, ".f_globals") && !hasAny(l.text, "f_locals", "f_back") {
					sev = loopcore.SevHuman // the module that asks, and nothing of its caller's values
				}
				if p.rule == "R10" && strings.Contains(strings.ToLower(f.oldU.src), "stacktrace") || p.rule == "R03" && (u.inChild(l.at) || d.onlyForNew(f)) {
					sev = loopcore.SevHuman // the stack was walked before in another way; a process of its own ends
				}
				if p.rule == "R10" && (logging(f.path()) || hasAny(strings.ToLower(l.text), "log.", "logger", "logging", "console.", "slog")) {
					sev = loopcore.SevHuman
				}
				d.report(p.rule, sev, f.path(), u.line(l.at), "new: "+clip(l.text, 160))
			}
		}
		d.runtimeShapes(f)
	}
	d.equalityRules()
	d.testMains()
	d.hardCoded()
}

// onlyForNew says whether a new file beside the tests is loaded by new ones alone:
// no runner looks for it, and nothing that was there before names it now.
func (d *diff) onlyForNew(f *fileDiff) bool {
	if d.inLoop() || f.old != nil || f.role != roleTest && f.role != roleSupport || autoLoadedRE.MatchString(baseName(f.path())) {
		return false
	}
	stem := strings.TrimSuffix(baseName(f.path()), ext(f.path()))
	for _, o := range d.files {
		if o.old != nil && o.new != nil && strings.Contains(string(o.new.Data), stem) {
			return false
		}
	}
	return true
}

// autoLoadedRE are names of files that runners and interpreters load by themselves.
var autoLoadedRE = lazily(`(?i)conftest|set-?_?up|helper|customize|bootstrap|(^|[-_.])plugins?\b|\.config\.|(^|[-_.])(global|register|support|hooks?|env)([-_.]|$)`)

// inChild says whether token i stands below a condition in a function that forks:
// in the branch of the child, whose status is not the program's.
func (u *unit) inChild(i int) bool {
	x := u.funcAt(i)
	if x == nil || u.condition(i) == "" {
		return false
	}
	for k := x.open; k < i; k++ {
		if u.forks(k) {
			return true
		}
	}
	return false
}

// forks says whether token i calls what splits the process, and no method of that name.
func (u *unit) forks(i int) bool {
	if u.text(i+1) != "(" {
		return false
	}
	owner := ""
	if p := u.text(i - 1); p == "." || p == "->" {
		owner = u.text(i - 2)
	}
	switch u.text(i) {
	case "fork":
		return u.lang == langC && owner == "" || u.lang == langPython && owner == "os" || u.lang == langRuby && (owner == "" || owner == "Process")
	case "vfork", "clone":
		return u.lang == langC && owner == ""
	case "pcntl_fork":
		return u.lang == langPHP
	}
	return false
}

// says whether the unit had a line with that very sign: then the file has spoken
// of it before.
func (u *unit) says(re *lazyRE, sign string) bool {
	for _, l := range u.logical() {
		if re.FindString(assembled(l.text)) == sign {
			return true
		}
	}
	return false
}

var seamRE = lazily(`"\s*(\+|\.\.|<>|\.)\s*"`)

// assembled puts literals together that a line adds up, so that a name in pieces
// is read as the program will.
func assembled(text string) string {
	if strings.Count(text, `"`) < 4 {
		return text
	}
	return seamRE.ReplaceAllString(text, "")
}

func logging(p string) bool {
	return hasAny(strings.ToLower(p), "log", "debug", "trace", "error", "exception", "diagnos", "telemetry", "inspect", "caller", "stack", "deprecat", "warn")
}

func clip(s string, n int) string {
	if len(s) > n {
		return strings.ToValidUTF8(s[:n], "") + "…"
	}
	return s
}

// spared rules out look-alikes that need more than one line to tell.
func (d *diff) spared(rule string, f *fileDiff, l textLine) bool {
	u := f.newU
	switch rule {
	case "R01":
		for i := l.at; i < len(u.toks) && u.line(i) == u.line(l.at); i++ { // inside of a test module
			if t := u.testAt(i); t != nil {
				return true
			}
		}
		if u.lang == langRust && strings.Contains(l.text, "CARGO_MANIFEST_DIR") && strings.HasSuffix(f.path(), "build.rs") {
			return true
		}
		return hasAny(f.path(), ".config.", "babel", "webpack", "vite.", "conftest", "setup.")
	case "R03":
		if f.testSide() && (u.lang == langShell && !strings.Contains(l.text, "trap")) {
			// in shell a script's own end is no sign unless it stands in a runner's way
			fn := u.funcAt(l.at)
			return (l.at+3 < len(u.toks) && u.up(l.at) >= 0 || f.old == nil) && (fn == nil || !strings.HasPrefix(fn.name, "teardown"))
		}
		if f.testSide() && hasAny(l.text, "expect", "assert", "raises", "throws", "mock", "spy", "stub", "EXPECT_", "ASSERT_", "patch(", "exit_code", "raise_error") {
			return true
		}
		if f.testSide() && (u.asProgram(l.at) && !strings.Contains(l.text, "exit=False") || f.old == nil && f.role == roleTest && u.lang == langC) {
			return true
		}
		if f.testSide() && u.quotedProgram(l.at) {
			return true
		}
	case "R08":
		return f.role != roleCode || u.lang == langRuby && strings.HasPrefix(l.text, "class Time") && strings.Contains(l.text, "<")
	case "R10":
		t := l.text
		return u.testAt(l.at) != nil || strings.Contains(t, "BASH_SOURCE[0") || u.lang == langShell && strings.Contains(t, "tests/") && !strings.Contains(t, "expected") && !readsRE.MatchString(t) || hasSeg(f.path(), "scripts", "script", "tools", "build", "ci", "examples", "bench", "benchmarks", "docs") || strings.HasPrefix(f.path(), "example/")
	case "R04":
		at := strings.Index(l.text, ".retryTimes(")
		return at >= 0 && strings.Count(l.text[:at], `"`)%2 == 1 // in the text of a program that the test runs
	case "R05":
		return strings.Contains(l.text, "assert.strict=") || u.lang == langGo
	}
	return false
}

// readsRE takes text out of a file.
var readsRE = lazily(`\b(grep|sed|awk|cut|head|tail)\b`)

// asProgram says whether token i runs only where the file itself is the program.
func (u *unit) asProgram(i int) bool {
	for o := u.up(i); o >= 0; o = u.up(o) {
		if strings.Contains(u.norm(u.stmtStart(o), o), "__name__") {
			return true
		}
	}
	fn := u.funcAt(i)
	return fn != nil && fn.name == "main"
}

// quotedProgram says whether the line builds a program text rather than leaving this one.
func (u *unit) quotedProgram(i int) bool { return u.kind(i) == tkString }

// newLines lists the logical lines of the new version that the old one does not have, strings included.
func newLines(f *fileDiff) []textLine {
	had := map[string]int{}
	for _, l := range f.oldU.logical() {
		had[l.text]++
	}
	var out []textLine
	for _, l := range f.newU.logical() {
		if had[l.text] > 0 {
			had[l.text]--
			continue
		}
		out = append(out, l)
	}
	return out
}

// logical cuts the unit into logical lines in one spelling; at is the first token.
func (u *unit) logical() []textLine {
	var out []textLine
	start := 0
	for i := 0; i <= len(u.toks); i++ {
		if i < len(u.toks) && (!u.first(i) || i == start) {
			continue
		}
		if i > start && !(i == start+1 && u.kind(start) == tkString) {
			out = append(out, textLine{u.norm(start, i), start})
		}
		start = i
	}
	return out
}
