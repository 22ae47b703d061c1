package parse

// Readers is the table of text readers; the order is the precedence. Add one
// line here, one file beside it, one folder under testdata/parse.
var Readers = []Reader{
	// runners that name every failure between unmistakable markers
	goTest,
	pyTest,
	pyUnittest,
	vitest,
	jest,
	nodeTest,
	mocha,
	tap,
	surefire, meson,
	// builds
	goBuild,
	rustc,
	javac,
	cmake,
	linker,
	// linters and type checkers with lines of their own
	tsc, pyright, mypy, pylint, ruff, pydocstyle, bandit, shellcheck, rubocop, markdownlint, yamllint, eslint,
	// linters whose lines look like many others'
	staticcheck, golangciLint, flake8, luacheck, perlcritic, codespell, gcc,
	goVet,
	// what only passes on that something else failed
	makeTool, maven,
}
