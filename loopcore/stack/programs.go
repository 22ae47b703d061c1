package stack

import (
	"path"
	"strings"

	"fixloop/loopcore"
)

// verdict is what is known of one simple command.
type verdict struct {
	kind    loopcore.Kind // "" = no step of a gate, or not known
	known   bool          // the program is known; kind "" then means: part of no gate
	format  bool          // checks formatting only
	mutates bool          // rewrites files of the tree
	watches bool          // does not end
	partial bool          // a part of the tests, a report, an audit: never the whole step
	danger  string        // why it must never be chosen
	reader  string        // reader of its output
	tool    string        // program name after wrappers
	args    []string      // its arguments
	once    string        // appended, it makes a watcher end
	envCI   bool          // watches unless CI is set
}

// program is one line of the table: how a known tool is classified.
type program struct {
	kind    loopcore.Kind
	reader  string
	format  bool     // a formatter: without one of check it rewrites
	check   []string // flags or first words that make a formatter only check
	fix     []string // flags that make a linter rewrite
	partial bool     // a specialised audit; chosen only when nothing else is there
}

const (
	kBuild = loopcore.KindBuild
	kLint  = loopcore.KindLint
	kType  = loopcore.KindTypecheck
	kTest  = loopcore.KindTest
)

// programs are the tools that are one kind of step whatever their arguments.
// Tools with sub commands are in subPrograms, odd ones in oddPrograms.
var programs = map[string]program{
	// JavaScript
	"eslint": {kind: kLint, reader: "eslint", fix: []string{"--fix"}}, "oxlint": {kind: kLint, fix: []string{"--fix"}},
	"tslint": {kind: kLint, fix: []string{"--fix"}},
	"jshint": {kind: kLint}, "standard": {kind: kLint, reader: "eslint", fix: []string{"--fix"}}, "semistandard": {kind: kLint, fix: []string{"--fix"}},
	"xo": {kind: kLint, reader: "eslint", fix: []string{"--fix"}}, "ts-standard": {kind: kLint, reader: "eslint", fix: []string{"--fix"}},
	"neostandard":       {kind: kLint},
	"stylelint":         {kind: kLint, partial: true, fix: []string{"--fix"}},
	"markdownlint":      {kind: kLint, partial: true, fix: []string{"--fix", "-f"}},
	"markdownlint-cli2": {kind: kLint, partial: true, fix: []string{"--fix"}},
	"remark":            {kind: kLint, partial: true, fix: []string{"--output", "-o"}}, "publint": {kind: kLint, partial: true},
	"knip": {kind: kLint, partial: true, fix: []string{"--fix"}}, "depcheck": {kind: kLint, partial: true},
	"attw": {kind: kLint, partial: true}, "cspell": {kind: kLint, partial: true},
	"sherif": {kind: kLint, partial: true, fix: []string{"--fix"}}, "syncpack": {kind: kLint, partial: true, fix: []string{"fix", "format"}},
	"manypkg":   {kind: kLint, partial: true, fix: []string{"fix"}},
	"prettier":  {kind: kLint, reader: "prettier", format: true, check: []string{"--check", "-c", "-l", "--list-different"}},
	"prettierx": {kind: kLint, format: true, check: []string{"--check", "-c", "-l"}},
	"oxfmt":     {kind: kLint, format: true, check: []string{"--check"}},
	"dprint":    {kind: kLint, format: true, check: []string{"check"}}, "tsc": {kind: kType, reader: "tsc"}, "tsgo": {kind: kType, reader: "tsc"},
	"vue-tsc":      {kind: kType, reader: "tsc"},
	"svelte-check": {kind: kType}, "flow": {kind: kType}, "tsd": {kind: kType}, "dtslint": {kind: kType}, "tspc": {kind: kType, reader: "tsc"},
	"glint": {kind: kType, reader: "tsc"}, "ember-tsc": {kind: kType, reader: "tsc"},
	"jest": {kind: kTest, reader: "jest"}, "mocha": {kind: kTest, reader: "mocha"}, "_mocha": {kind: kTest, reader: "mocha"},
	"ava": {kind: kTest, reader: "ava"}, "tap": {kind: kTest, reader: "tap"}, "tape": {kind: kTest, reader: "tap"},
	"uvu": {kind: kTest}, "karma": {kind: kTest}, "jasmine": {kind: kTest}, "qunit": {kind: kTest, reader: "tap"}, "lab": {kind: kTest},
	"wtr": {kind: kTest}, "web-test-runner": {kind: kTest}, "borp": {kind: kTest, reader: "node-test"},
	"wdio": {kind: kTest}, "testem": {kind: kTest}, "brittle": {kind: kTest, reader: "tap"}, "brittle-node": {kind: kTest, reader: "tap"},
	"vitest": {kind: kTest, reader: "vitest"}, "nodeunit": {kind: kTest}, "poku": {kind: kTest}, "zora": {kind: kTest, reader: "tap"},
	"best-shot": {kind: kTest}, "zunit": {kind: kTest}, "bats": {kind: kTest, reader: "bats"}, "tst": {kind: kTest}, "tstyche": {kind: kType},
	"playwright": {kind: kTest, reader: "playwright", partial: true}, "cypress": {kind: kTest, partial: true},
	"nightwatch": {kind: kTest, partial: true}, "testcafe": {kind: kTest, partial: true},
	"rollup": {kind: kBuild}, "webpack": {kind: kBuild}, "rspack": {kind: kBuild}, "tsup": {kind: kBuild}, "tsdown": {kind: kBuild},
	"esbuild": {kind: kBuild}, "unbuild": {kind: kBuild}, "parcel": {kind: kBuild}, "microbundle": {kind: kBuild}, "babel": {kind: kBuild},
	"swc": {kind: kBuild}, "ncc": {kind: kBuild}, "pkgroll": {kind: kBuild}, "bunchee": {kind: kBuild}, "ng-packagr": {kind: kBuild},
	"tshy": {kind: kBuild}, "obuild": {kind: kBuild}, "rolldown": {kind: kBuild}, "zshy": {kind: kBuild}, "bob": {kind: kBuild},
	"preconstruct": {kind: kBuild}, "father": {kind: kBuild}, "tsc-multi": {kind: kBuild, reader: "tsc"}, "hereby": {}, "gulp": {},
	"grunt": {},
	// Python
	"flake8": {kind: kLint, reader: "flake8"}, "flake8-black": {kind: kLint}, "pflake8": {kind: kLint, reader: "flake8"},
	"pylint": {kind: kLint, reader: "pylint"}, "pycodestyle": {kind: kLint, reader: "flake8"}, "pyflakes": {kind: kLint, reader: "flake8"},
	"pydocstyle": {kind: kLint, partial: true},
	"bandit":     {kind: kLint, partial: true}, "vulture": {kind: kLint, partial: true},
	"codespell": {kind: kLint, partial: true, fix: []string{"-w", "--write-changes"}}, "doc8": {kind: kLint, partial: true},
	"yamllint": {kind: kLint, partial: true}, "check-manifest": {kind: kLint, partial: true}, "pyroma": {kind: kLint, partial: true},
	"interrogate": {kind: kLint, partial: true}, "prospector": {kind: kLint}, "twine": {kind: kLint, partial: true},
	"lint-imports": {kind: kLint, partial: true}, "deptry": {kind: kLint, partial: true}, "rstcheck": {kind: kLint, partial: true},
	"validate-pyproject": {kind: kLint, partial: true}, "djlint": {kind: kLint, partial: true}, "curlylint": {kind: kLint, partial: true},
	"slotscheck": {kind: kLint, partial: true}, "docformatter": {kind: kLint, format: true, check: []string{"--check", "-c"}},
	"pyproject-fmt": {kind: kLint, format: true, partial: true, check: []string{"--check"}},
	"yapf":          {kind: kLint, format: true, check: []string{"--diff", "-d", "-q", "--quiet"}},
	"autopep8":      {kind: kLint, format: true, check: []string{"--diff", "-d", "--exit-code"}},
	"black":         {kind: kLint, format: true, check: []string{"--check", "--diff"}},
	"isort":         {kind: kLint, format: true, check: []string{"--check", "--check-only", "-c", "--diff"}},
	"autoflake":     {kind: kLint, format: true, check: []string{"--check", "-c", "--check-diff"}}, "pyupgrade": {kind: kLint, format: true},
	"usort": {kind: kLint, format: true, check: []string{"check"}}, "ufmt": {kind: kLint, format: true, check: []string{"check"}},
	"mypy": {kind: kType, reader: "mypy"}, "dmypy": {kind: kType, reader: "mypy"}, "pyright": {kind: kType, reader: "pyright"},
	"basedpyright": {kind: kType, reader: "pyright"}, "pytype": {kind: kType}, "pyre": {kind: kType}, "pyrefly": {kind: kType},
	"zuban": {kind: kType, reader: "mypy"}, "stubtest": {kind: kType, reader: "mypy", partial: true},
	"pytest": {kind: kTest, reader: "pytest"}, "py.test": {kind: kTest, reader: "pytest"}, "nosetests": {kind: kTest, reader: "unittest"},
	"nose2": {kind: kTest, reader: "unittest"}, "trial": {kind: kTest, reader: "unittest"}, "stestr": {kind: kTest, reader: "unittest"},
	"unittest": {kind: kTest, reader: "unittest"}, "zope-testrunner": {kind: kTest}, "behave": {kind: kTest, partial: true},
	"robot": {kind: kTest, partial: true}, "green": {kind: kTest, reader: "unittest"}, "xdoctest": {kind: kTest, partial: true},
	"sybil": {kind: kTest, partial: true}, "ward": {kind: kTest}, "lit": {kind: kTest},
	// Go, C, shell and others
	"staticcheck": {kind: kLint, reader: "staticcheck"}, "revive": {kind: kLint, reader: "golangci-lint"},
	"golint": {kind: kLint, reader: "golangci-lint"}, "gosec": {kind: kLint, partial: true}, "govulncheck": {kind: kLint, partial: true},
	"errcheck": {kind: kLint, reader: "golangci-lint"}, "misspell": {kind: kLint, partial: true, fix: []string{"-w"}},
	"nilaway":   {kind: kLint, partial: true},
	"gofmt":     {kind: kLint, format: true, check: []string{"-l", "-d"}, fix: []string{"-w"}},
	"gofumpt":   {kind: kLint, format: true, check: []string{"-l", "-d"}, fix: []string{"-w"}},
	"goimports": {kind: kLint, format: true, check: []string{"-l", "-d"}, fix: []string{"-w"}},
	"gci":       {kind: kLint, format: true, check: []string{"diff", "list"}},
	"gotestsum": {kind: kTest, reader: "gotest"}, "ginkgo": {kind: kTest, reader: "gotest"}, "richgo": {kind: kTest, reader: "gotest"},
	"courtney": {kind: kTest, reader: "gotest"}, "shellcheck": {kind: kLint, reader: "shellcheck"},
	"shfmt":    {kind: kLint, format: true, check: []string{"-d", "-l", "--diff", "--list"}, fix: []string{"-w"}},
	"hadolint": {kind: kLint, partial: true}, "actionlint": {kind: kLint, partial: true}, "zizmor": {kind: kLint, partial: true},
	"typos": {kind: kLint, partial: true, fix: []string{"-w", "--write-changes"}}, "lychee": {kind: kLint, partial: true},
	"editorconfig-checker": {kind: kLint, partial: true}, "ec": {kind: kLint, partial: true},
	"addlicense": {kind: kLint, partial: true, format: true, check: []string{"-check", "--check"}},
	"taplo":      {kind: kLint, partial: true, format: true, check: []string{"--check", "lint", "check"}}, "reuse": {kind: kLint, partial: true},
	"clang-tidy":     {kind: kLint, reader: "clang", fix: []string{"--fix", "-fix"}},
	"run-clang-tidy": {kind: kLint, reader: "clang", fix: []string{"-fix"}}, "cppcheck": {kind: kLint}, "cpplint": {kind: kLint},
	"clang-format": {kind: kLint, format: true, check: []string{"--dry-run", "-n", "-Werror"}, fix: []string{"-i"}},
	"cmake-format": {kind: kLint, format: true, partial: true, check: []string{"--check"}}, "ctest": {kind: kTest, reader: "ctest"},
	"gcovr": {}, "lcov": {}, "valgrind": {kind: kTest, partial: true},
	"rustfmt": {kind: kLint, format: true, check: []string{"--check"}}, "leptosfmt": {kind: kLint, format: true, check: []string{"--check"}},
	// Ruby, PHP
	"rspec": {kind: kTest, reader: "rspec"}, "cucumber": {kind: kTest, partial: true}, "m": {kind: kTest, reader: "minitest"},
	"minitest": {kind: kTest, reader: "minitest"}, "parallel_rspec": {kind: kTest, reader: "rspec"},
	"rubocop":    {kind: kLint, reader: "rubocop", fix: []string{"-a", "-A", "--autocorrect", "--auto-correct", "--autocorrect-all", "--auto-correct-all", "-x"}},
	"standardrb": {kind: kLint, reader: "rubocop", fix: []string{"--fix", "--fix-unsafely"}}, "rubocop-gradual": {kind: kLint},
	"reek": {kind: kLint, partial: true}, "brakeman": {kind: kLint, partial: true},
	"erblint":  {kind: kLint, partial: true, fix: []string{"-a", "--autocorrect"}},
	"erb_lint": {kind: kLint, partial: true, fix: []string{"-a", "--autocorrect"}}, "haml-lint": {kind: kLint, partial: true},
	"slim-lint": {kind: kLint, partial: true}, "bundle-audit": {kind: kLint, partial: true}, "bundler-audit": {kind: kLint, partial: true},
	"importmap": {partial: true}, "fasterer": {kind: kLint, partial: true}, "steep": {kind: kType}, "srb": {kind: kType}, "zeitwerk": {},
	"phpunit": {kind: kTest, reader: "phpunit"}, "simple-phpunit": {kind: kTest, reader: "phpunit"}, "pest": {kind: kTest, reader: "phpunit"},
	"paratest": {kind: kTest, reader: "phpunit"}, "codecept": {kind: kTest, partial: true}, "behat": {kind: kTest, partial: true},
	"phpspec": {kind: kTest}, "atoum": {kind: kTest}, "tester": {kind: kTest}, "kahlan": {kind: kTest},
	"phpcs": {kind: kLint, reader: "checkstyle"}, "phpcbf": {kind: kLint, format: true},
	"pint": {kind: kLint, format: true, check: []string{"--test"}}, "parallel-lint": {kind: kLint, partial: true},
	"phplint": {kind: kLint, partial: true}, "phpmd": {kind: kLint, partial: true}, "deptrac": {kind: kLint, partial: true},
	"rector":       {kind: kLint, partial: true, format: true, check: []string{"--dry-run", "-n"}},
	"php-cs-fixer": {kind: kLint, format: true, check: []string{"--dry-run", "check"}}, "ecs": {kind: kLint, fix: []string{"--fix"}},
	"phpstan": {kind: kType, reader: "phpstan"}, "psalm": {kind: kType, fix: []string{"--alter"}}, "phan": {kind: kType},
	"composer-unused": {kind: kLint, partial: true}, "composer-require-checker": {kind: kLint, partial: true},
	"infection": {kind: kTest, partial: true}, "roave-infection-static-analysis-plugin": {kind: kTest, partial: true},
	// JVM, Swift, others
	"ktlint": {kind: kLint, fix: []string{"-F", "--format"}}, "detekt": {kind: kLint, fix: []string{"--auto-correct"}},
	"checkstyle": {kind: kLint, reader: "checkstyle"}, "scalafmt": {kind: kLint, format: true, check: []string{"--check", "--test", "--list"}},
	"scalafix":     {kind: kLint, format: true, check: []string{"--check", "--test"}},
	"swiftlint":    {kind: kLint, fix: []string{"--fix", "--autocorrect", "autocorrect"}},
	"swiftformat":  {kind: kLint, format: true, check: []string{"--lint"}},
	"swift-format": {kind: kLint, format: true, check: []string{"lint"}}, "pod": {}, "hlint": {kind: kLint},
	"ormolu": {kind: kLint, format: true, check: []string{"check"}}, "fourmolu": {kind: kLint, format: true, check: []string{"check"}},
	"stylua": {kind: kLint, format: true, check: []string{"--check"}}, "luacheck": {kind: kLint}, "selene": {kind: kLint},
	"busted": {kind: kTest, reader: "busted"}, "prove": {kind: kTest, reader: "tap"}, "perlcritic": {kind: kLint}, "vint": {kind: kLint},
	"elm-test": {kind: kTest}, "elm-format": {kind: kLint, format: true, check: []string{"--validate"}},
	"elm-review": {kind: kLint, fix: []string{"--fix"}}, "ameba": {kind: kLint, fix: []string{"--fix"}},
	"nixpkgs-fmt": {kind: kLint, format: true, check: []string{"--check"}},
	"nixfmt":      {kind: kLint, format: true, check: []string{"--check", "-c"}},
	"alejandra":   {kind: kLint, format: true, check: []string{"--check", "-c"}}, "statix": {kind: kLint, fix: []string{"fix"}},
	"deadnix": {kind: kLint, partial: true, fix: []string{"--edit", "-e"}}, "tflint": {kind: kLint, fix: []string{"--fix"}},
	"ansible-lint": {kind: kLint, fix: []string{"--fix"}}, "clj-kondo": {kind: kLint},
	"sqlfluff":   {kind: kLint, fix: []string{"fix", "format"}},
	"buildifier": {kind: kLint, partial: true, format: true, check: []string{"-mode=check", "--mode=check", "-lint=warn"}},
	"themis":     {kind: kTest}, "vader": {kind: kTest}, "vusted": {kind: kTest}, "slither": {kind: kLint, partial: true},
	"solhint": {kind: kLint, fix: []string{"--fix"}}, "verible-verilog-lint": {kind: kLint}, "vale": {kind: kLint, partial: true},
	"proselint": {kind: kLint, partial: true}, "shellspec": {kind: kTest, reader: "tap"}, "testthat": {kind: kTest}, "lintr": {kind: kLint},
	"crystalfmt": {kind: kLint, format: true}, "pre-commit-hooks": {}, "license-eye": {kind: kLint, partial: true},
	"commitlint": {partial: true}, "git-cliff": {partial: true}, "codecov": {}, "coveralls": {},
	"ninja": {kind: kBuild, reader: "gcc"}, "gcc": {kind: kBuild, reader: "gcc"}, "g++": {kind: kBuild, reader: "gcc"},
	"cc": {kind: kBuild, reader: "gcc"}, "clang": {kind: kBuild, reader: "clang"}, "clang++": {kind: kBuild, reader: "clang"},
	"javac": {kind: kBuild, reader: "javac"}, "rustc": {kind: kBuild, reader: "rustc"},
}

var versionSuffix = loopcore.Lazily(`^(python|pip|ruby|php|pytest|node|clang|clang-format|clang-tidy|gcc|g\+\+)-?[0-9][0-9.]*$`)

// programName is the name under which a word is looked up.
func programName(word string) string {
	b := path.Base(strings.ReplaceAll(word, "\\", "/"))
	for _, ext := range []string{".exe", ".cmd", ".phar", ".bat", ".cjs", ".mjs", ".js"} {
		if t := strings.TrimSuffix(b, ext); t != b && (programs[t].kind != "" || ext == ".exe" || ext == ".phar") {
			b = t
		}
	}
	if m := versionSuffix.FindStringSubmatch(b); m != nil {
		b = m[1]
	}
	return b
}

func hasFlag(args []string, flags ...string) bool {
	for _, a := range args {
		name, _, _ := strings.Cut(a, "=")
		for _, f := range flags {
			if a == f || name == f && strings.HasPrefix(f, "-") {
				return true
			}
		}
	}
	return false
}

// classify says what a simple command does, wrappers taken off.
func classify(words []string) verdict {
	words = unwrap(words)
	if len(words) == 0 {
		return verdict{known: true}
	}
	name, args := programName(words[0]), words[1:]
	v := verdict{tool: name, args: args}
	if d := dangerous(name, args); d != "" {
		v.danger, v.known = d, true
		return v
	}
	if f, ok := oddPrograms[name]; ok {
		w := f(name, args)
		w.tool, w.args = name, args
		return w
	}
	if subs, ok := subPrograms[name]; ok {
		return classifySub(v, subs, args)
	}
	p, ok := programs[name]
	if !ok {
		v.known = setupPrograms[name]
		return v
	}
	v.known, v.kind, v.reader, v.partial, v.format = true, p.kind, p.reader, p.partial, p.format
	if len(args) == 1 && (args[0] == "-V" || args[0] == "-h") || hasFlag(args, "--version", "--help", "--init", "--showConfig", "--print-config") || len(args) > 0 && args[0] == "install" {
		return verdict{tool: name, args: args, known: true}
	}
	v.mutates = len(p.fix) > 0 && hasFlag(args, p.fix...) && !hasFlag(args, "--fix-dry-run") || p.format && len(p.check) > 0 && !hasFlag(args, p.check...) || p.format && len(p.check) == 0
	refine(&v)
	return v
}
