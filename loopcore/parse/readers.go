package parse

// Readers is the table of text readers; the order is the precedence. Add one
// line here, one file beside it, one folder under testdata/parse.
var Readers = []Reader{
	// documents: a report printed as the output
	junit, testJSON, cucumberJSON, testXML, sarif,
	// runners that name every failure between unmistakable markers
	ginkgo, // before goTest, which starts it
	goTest,
	pyTest,
	pyUnittest,
	playwright,
	vitest,
	jest,
	nodeTest,
	ava, bun, deno,
	mocha,
	luacheck, lintTAP, rubocop, busted, bats, // before tap, in which they print
	nodeTap, ghTests,
	tap,
	cargoTest, xctest,
	surefire, junitConsole, junit4, gradle, scalatest,
	dotnet, exunit,
	cucumber, // before rspec, whose numbered lists it shares
	rspec, minitest, testUnit, phpunit, teamcity,
	gtest, catch2, cppUTest, libCheck, sanitizer, ctest, meson,
	// builds
	goBuild,
	ruby, php,
	rustc,
	lintXML, // before javac, whose lines look like Checkstyle's
	javac,
	cmake,
	linker,
	// linters and type checkers with lines of their own
	tsc, pyright, mypy, ty, pylint, ruff, pydocstyle, bandit, shellcheck, markdownlint, yamllint, eslint,
	boxed, biome, prettier, black, rustfmt, phpcs, phpstan,
	// diagnostics in a common format
	lintJSON, lintCSV, diffList,
	// linters whose lines look like many others'
	staticcheck, golangciLint, flake8, perlcritic, codespell, clangTidy, cppcheck, gcc,
	goVet,
	// what only passes on that something else failed
	makeTool, maven, gradleBuild, rake, annotations, fileList,
}
