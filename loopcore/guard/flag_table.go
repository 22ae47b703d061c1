package guard

import (
	"path"
	"strings"
)

// What a word of a command line does to the run, by the tool that knows it. A
// word is taken for what it is to any of them, since wrappers hide which tool
// reads it; * stands for any rest, the empty one too.
var (
	// narrowing words have a runner take a part of its tests, or none.
	narrowing = flagWords(
		"-k -m --ignore --ignore-glob --deselect --lf --last-failed --sw --co --collect-only",                          // pytest
		"-run --run -skip -short --short -failfast=no --list",                                                          // go test
		"-t --testNamePattern --testPathPattern --testPathPatterns --testPathIgnorePatterns*",                          // Jest
		"--onlyChanged --findRelatedTests --selectProjects --ignoreProjects --changedSince --onlyFailures --listTests", // Jest
		"--passWithNoTests --pass-with-no-tests --no-tests=pass --no-tests=warn --no-tests=ignore --no-tests=auto",     // Jest, Vitest, nextest, ctest
		"--related --changed --shard --test-shard* --spec --only",                                                      // Vitest, Playwright, Cypress, ExUnit
		"--grep -g --fgrep -f --invert -i --match",                                                                     // Mocha, AVA
		"--test-name-pattern --test-skip-pattern --test-only",                                                          // node:test
		"--exclude --exclude-tag --exclude-tags --exclude-pattern --exclude-group --exclude-from --exclude-path",       // by many names
		"--exclude-paths --exclude-testsuite --exclude-regex --exclude-task --skip -S",                                 // by many names
		"--no-run --lib --bin --bins --doc --test --example -E --ignored=no",                                           // cargo, nextest
		"--filter --group --testsuite --filter-tags --gtest_filter* --tests-regex --tests",                             // PHPUnit, GoogleTest, Gradle
		"-R -LE -L -I", // ctest
		"--tag -e --example-matches --pattern --only-failures --next-failure --syntax --dry-run",                           // RSpec, Ruby
		"-x -Dtest* -DskipTests* -Dmaven.test* -DskipITs* -Dgroups* -DexcludedGroups* -DfailIfNoTests* -Dcheckstyle.skip*", // Gradle, Maven
		"-Dsurefire.skip* -Dsurefire.fail* -Dsurefire.exclude* -Dsurefire.include* -Dsurefire.rerun* -Dsurefire.test*",     // Maven
		"-Dsurefire.suite* -Dsurefire.timeout* -D*skip* -pl --projects",                                                    // Maven
		"--skip-testing* -skip-testing* -only-testing* --only-testing*",                                                    // xcodebuild
		"--stale --failed --no-start",                                     // ExUnit
		"-DBUILD_TESTING=* -o -D --no-check --transpile-only --no-verify", // CMake, pytest's and Maven's settings, type checks, git
	)
	// loosening words have a tool say or fail less.
	loosening = flagWords(
		"--exit-zero --mute-exit* --no-error* --exit-code=0 --issues-exit-code=0 --issues-exit-code --no-exit-code --soft-fail --no-fail",
		"--passWithNoTests --pass-with-no-tests --passWithNoTests=true --allow-empty --no-fail-on-empty*",
		"--no-coverage --no-cov --minimum-coverage*",
		"--quiet -w --severity=error --no-warn* --warn --disable-warnings --no-warnings-as-errors --cap-lints",
		"--no-typecheck --skip-lib-check --skipLibCheck --transpile-only --noCheck --no-strict --lenient --no-compile",
		"--ignore-missing-imports --ignore-errors --follow-imports=?* --disable-error-code*", // mypy
		"--no-fail-on* --fail-level* --fail-on --fail-on=* --no-exit-on* --max-failures=no --no-bail=no",
		"--continue-on-error --fail-never -fn --ignore-failures -PignoreFailures* -DtestFailureIgnore* -Dmaven.test.failure.ignore*",
		"--forceExit --allow-only --allowOnly --dangerouslyIgnoreUnhandledErrors", // Jest, Mocha, Vitest
		"-vet=off --vet=off -DNDEBUG -Wno-?* -suppress-warnings -O -OO --assert=plain -p -A",
		"--retries* --reruns* --retry* -retry-tests* -test-iterations --flaky* --repeat --repeat-until* -Drerun* -Dsurefire.rerun*",
		"--disable=?* --disable --extend-ignore* --per-file-ignores* --suppress* --suppress-all --suppress-file --rule --no-eslintrc --ignore-pattern*",
		"--no-inline-config=no --no-configuration --no-extensions --no-doctest --no-header=no",
		"--baseline* --generate-baseline --auto-gen-config --fix-baseline --new --new-from-rev*",
		"--exclude* --no-test --skip-tests --ignore-platform* --timeout* -timeout* --no-isolate=no --skip-download=no",
		"--treat-warnings-as-errors=false -warnaserror- /warnaserror- -nowarn* -p:NoWarn* /p:NoWarn* -p:WarningLevel=0", // .NET
		"-p:TreatWarningsAsErrors=false /p:TreatWarningsAsErrors=false --no-restore=no --no-build=no",                   // .NET
		"--allow-dirty=no --output-on-failure=no",
	)
	// strict words have a tool look closer or fail more.
	strict = flagWords(
		"-Werror* --Werror* -Wall -Wextra -Wpedantic -pedantic* -Wconversion -W -D warnings error -fsanitize*", // compilers
		"--ci --no-tests=error --no-tests=fail --strict* --strict-markers --strict-coverage --enforce* --check --check-cov* --exit-code --error-exitcode=?*",
		"-race --race -count=1 -shuffle* -vet=?* -covermode* -coverprofile*", // go test
		"--deny* --disallow-?* --fatal-?* --max-warnings* --warnings-as-errors -warnings-as-errors --error-on-warnings --treat-warnings-as-errors",
		"-p:TreatWarningsAsErrors=true /p:TreatWarningsAsErrors=true -warnaserror /warnaserror -Xlint* --typecheck --noEmit --pretty=no",
		"--forbid-only --forbidOnly --forbid-pending --no-allow*",
		"--fail-under* --cov-fail-under* --fail-on* --fail-on-warning --fail-on-risky --fail-on-skipped --fail-on-empty* --fail-fast=no --exitfirst=no",
		"--coverage --cov* --with-cov* --minimum-coverage* --threshold*",
		"--all --workspace --all-targets --all-features --recursive --locked=no --no-cache=no --runInBand=no --parallel=no",
		"--doctest-?* --leak-check* --report-unused* -ea",
		"-e -euo pipefail -eu", // the shell
	)
	// ambiguous words mean something else to every tool: flagOf tells to which they narrow or loosen.
	ambiguous = flagWords(
		"-p -e -f -i -o -t -I -L -g -x -E -A -w -R -D -O -m -k -s -S",
		"--disable --group --test --exclude --list --only --run",
	)
)

// wordSet is a set of words, and of patterns of words.
type wordSet struct {
	words map[string]bool
	globs []string
}

// flagWords makes a set of words that stand in lines, apart by blanks.
func flagWords(lines ...string) wordSet {
	s := wordSet{words: map[string]bool{}}
	for _, w := range strings.Fields(strings.Join(lines, " ")) {
		if strings.ContainsRune(w, '*') {
			s.globs = append(s.globs, w)
		} else {
			s.words[w] = true
		}
	}
	return s
}

// has says whether a word is in the set.
func (s wordSet) has(word string) bool {
	if s.words[word] {
		return true
	}
	word = strings.ReplaceAll(word, "/", "\x00") // to path.Match a separator
	for _, g := range s.globs {
		if ok, _ := path.Match(strings.ReplaceAll(g, "/", "\x00"), word); ok {
			return true
		}
	}
	return false
}

// warningRE turns a warning of a compiler on; its name does not fit into a table.
var warningRE = lazily(`^-W\w[\w-]*$`)
