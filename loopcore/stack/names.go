package stack

import (
	"strings"

	"fixloop/loopcore"
)

// kindNames are the names under which projects declare each kind of step, the
// usual first. Words are joined by a dash: test:ci, test_ci and testCI are one.
var kindNames = map[loopcore.Kind][]string{
	kTest: {"test", "tests", "test-ci", "ci-test", "test-all", "tests-all", "all-tests", "test-unit", "unit-test", "unit-tests", "test-units",
		"tests-unit", "unit", "units", "test-run", "run-tests", "run-test", "runtests", "test-once", "test-single", "spec", "specs", "test-fast",
		"vitest", "jest", "mocha", "pytest", "phpunit", "pest", "rspec", "minitest", "go-test", "test-go", "cargo-test", "test-rust",
		"test-python", "test-js", "test-node", "node-test", "tests-only", "test-only", "test-lib", "test-src", "test-local", "test-race", "ctest",
		"testsuite", "test-suite", "py", "test-coverage", "coverage-test", "test-cover", "test-cov", "tests-coverage", "cov", "coverage", "cover",
		"nextest", "test-nextest", "utest", "eunit"},
	kLint: {"lint", "lint-check", "check-lint", "lint-ci", "ci-lint", "lint-all", "lints", "linting", "linter", "linters", "eslint",
		"lint-eslint", "lint-js", "lint-ts", "lint-code", "lint-src", "lint-es", "js-lint", "golangci-lint", "golangci", "lint-go", "go-lint",
		"clippy", "lint-rust", "ruff", "ruff-check", "flake8", "pylint", "lint-python", "rubocop", "standardrb", "standard", "biome-ci",
		"biome-check", "biome", "biome-lint", "check-biome", "oxlint", "xo", "style", "check-style", "checkstyle", "style-check", "code-style",
		"check-code-style", "codestyle", "check-codestyle", "phpcs", "check-cs", "cs-check", "cs", "cs-lint", "sniff", "pre-commit", "precommit",
		"quality", "qa", "code-quality", "check-quality", "static-check", "static-checks", "credo", "pep8", "lint-php", "pint-test", "test-lint",
		"test-style", "test-pint", "vet", "go-vet", "staticcheck", "format-check", "check-format", "check-formatting", "fmt-check", "check-fmt",
		"prettier-check", "check-prettier", "format-ci", "format-lint", "lint-format", "lint-fmt", "lint-prettier", "black", "verify-format"},
	kType: {"typecheck", "type-check", "check-types", "types", "types-check", "type-checking", "typechecks", "tsc", "check-tsc", "tsc-check",
		"test-types", "types-test", "test-type", "check-type", "check-ts", "ts-check", "typing", "typings", "check-typing", "check-typescript",
		"mypy", "pyright", "basedpyright", "lint-types", "lint-tsc", "lint-type", "typecheck-ci", "test-typescript", "test-typings", "test-tsd",
		"test-typecheck", "tsd", "phpstan", "stan", "analyse", "analyze", "static-analysis", "psalm", "test-phpstan", "dialyzer", "sorbet", "srb",
		"steep", "tc", "svelte-check", "check-svelte", "vue-tsc", "flow", "check-flow", "ty", "phpstan-analyse"},
	kBuild: {"build", "compile", "bundle", "build-all", "build-lib", "build-ci", "build-js", "build-dist", "build-prod", "build-production",
		"tsup", "rollup", "webpack", "build-ts", "build-types", "build-packages", "compile-ts", "transpile"},
}

// nameRanks is kindNames by name, made once.
var nameRanks = rankNames()

type nameRank struct {
	kind loopcore.Kind
	rank int
}

func rankNames() map[string]nameRank {
	out := map[string]nameRank{}
	for kind, names := range kindNames {
		for i, n := range names {
			out[n] = nameRank{kind, i}
		}
	}
	return out
}

const (
	rankSubset = 1500 // a part of the tests: test:e2e, lint:css
	rankByBody = 150  // told by what it runs, not by its name
	rankCompos = 500  // an aggregate: only where nothing finer is there
)

// subsetWords in a name say that only some of the tests run, or more than tests.
var subsetWords = map[string]bool{"e2e": true, "integration": true, "browser": true, "browsers": true, "bench": true, "benchmark": true,
	"benchmarks": true, "perf": true, "performance": true, "smoke": true, "acceptance": true, "system": true, "fuzz": true, "mutation": true,
	"visual": true, "a11y": true, "manual": true, "stress": true, "load": true, "external": true, "functional": true, "cypress": true,
	"playwright": true, "slow": true, "examples": true, "docs": true, "doc": true, "deno": true, "bun": true, "chrome": true, "firefox": true,
	"docker": true, "android": true, "ios": true, "windows": true, "report": true, "html": true, "css": true, "md": true, "markdown": true,
	"nightly": true, "failed": true, "changed": true, "container": true, "contract": true, "regression": true, "compat": true}

// kindOfName says what a task's name promises, and how usual the name is (lower
// is more usual). "" where the name says nothing.
func kindOfName(name string) (loopcore.Kind, int) {
	words := nameWords(name)
	if len(words) == 0 {
		return "", 0
	}
	if len(words) > 1 && words[0] == "py" { // tox: the running interpreter
		words = words[1:]
	}
	if r, ok := nameRanks[strings.Join(words, "-")]; ok {
		return r.kind, r.rank
	}
	first := words[0]
	r, ok := nameRanks[first]
	if !ok || len(words) == 1 {
		return "", 0
	}
	switch first {
	case "test", "tests", "lint", "build", "typecheck", "unit", "compile":
		rank := rankSubset
		for _, w := range words[1:] {
			if subsetWords[w] || strings.HasPrefix(w, "pypy") {
				rank += 50
			}
		}
		return r.kind, rank + len(words)
	}
	return "", 0
}

// rewritesByName says whether the name promises edits: lint:fix, format.
func rewritesByName(name string) bool {
	words := nameWords(name)
	check := false
	fix := false
	for _, w := range words {
		fix = fix || rewriteWords[w]
		check = check || w == "check" || w == "ci" || w == "lint" || w == "test" || w == "verify" || w == "dry"
	}
	if !fix {
		return false
	}
	last := words[len(words)-1]
	return last == "fix" || last == "write" || last == "autofix" || !check
}

// aggregateNames join several steps.
var aggregateNames = map[string]bool{"check": true, "checks": true, "ci": true, "all": true, "verify": true, "validate": true,
	"precommit": true, "pre-commit": true, "prepush": true, "pre-push": true, "check-all": true, "default": true, "qa": true, "check-ci": true,
	"ci-check": true, "presubmit": true, "test-all": true, "ready": true, "quality": true, "verify-all": true, "local-ci": true,
	"build-test": true, "pr": true, "ok": true, "cibuild": true}
