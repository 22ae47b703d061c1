package guard

import (
	"strings"

	"fixloop/loopcore"
)

// toolKinds tell what a tool checks by its name, and which rule its settings
// fall under when no row of keyRules knows them.
var toolKinds = []struct {
	rule string
	name *lazyRE
}{
	{"C05", lazily(`cover|\bcov\b|\bnyc|\bc8\b|istanbul|tarpaulin|jacoco|kover|simplecov|stryker|mutmut|infection|pitest|mutation|interrogate|\bmuter\b`)},
	{"C04", lazily(`mypy|pyright|pyre\b|pyrefly|\bty\b|phpstan|psalm|sorbet|steep|tsconfig|dialyzer`)},
	{"C01",
		lazily(`pytest|jest|vitest|mocha|\bava\b|karma|jasmine|playwright|cypress|\bwdio|test-runner|nightwatch|testcafe|codecept|phpunit|behat|` +
			`nextest|surefire|failsafe|rspec|cucumber|xunit|runsettings|testng|xctest|\btap\b|\bbats|testpresets`)},
	{"C03",
		lazily(`lint|ruff|flake8|bandit|vulture|\bblack\b|isort|rubocop|\breek|detekt|checkstyle|\bpmd|spotbugs|clippy|\bdeny\b|\baudit\b|` +
			`clang-tidy|credo|knip|dependency-?cruiser|size-limit|bundlesize|sonar|semgrep|trivy|biome|oxc|\bxo\b|phpcs|phpmd|deptrac|styleci|` +
			`enforcer|codespell|vale|pycodestyle|pydocstyle|deptry|importlinter|radon|xenon|scalafix|wartremover|scapegoat|danger|gitleaks`)},
}

// toolRule returns the rule for the settings of a tool that a text names, "" when it names none.
func toolRule(text string) string {
	for _, k := range toolKinds {
		if k.name.MatchString(text) {
			return k.rule
		}
	}
	return ""
}

// settingsFileRE is a file of values, or a program whose name says that it configures.
var settingsFileRE = lazily(`\.(json[c5]?|ya?ml|toml|ini|cfg|xml|properties|neon)(\.dist)?$|(config|conf|rc)\.[cm]?[jt]s$|^\.[\w-]+\.[cm]?js$`)

// namesTool says whether a file of settings is one of a checking tool, by its name.
func namesTool(base string) bool {
	return settingsFileRE.MatchString(base) && toolRule(base) != "" && !hasAny(base, "fixture", "schema", "lock", "result", "report", "summary", "dangerous")
}

// The words by which settings say what they do, whatever tool reads them.
var (
	retryWordRE   = lazily(`\b(retry|retries|rerun|reruns|attempts|repetitions|repeat|flaky)\b`)
	timeWordRE    = lazily(`\btimeout\b`)
	ceilingWordRE = lazily(`\b(max|maximum|most|limit|allowed|complexity|nesting|drop|confidence)\b`)
	floorWordRE   = lazily(`\b(min|minimum|under|floor|break|target|score|msi|level|coverage|threshold|line|lines|branch|branches|functions|statements|` +
		`instruction|ratio|total|package|file)\b`)
	lowWordRE    = lazily(`\b(min|minimum|low|under|floor|break)\b`)
	laxWordRE    = lazily(`\b(ignore|ignores|ignored|skip|skips|allow|allows|disable|disabled|suppress|lenient|continue|soft|quiet|silent|pass|dry|informational|only new)\b`)
	strictWordRE = lazily(`\b(strict|fail|fails|failure|error|errors|check|checks|enforce|require|required|forbid|deny|verify|enable|enabled|active|break|` +
		`abort|report|wait|detect|branch|all)\b`)
	leaveOutRE = lazily(`\b(exclude|excludes|excluded|exclusions|ignore|ignores|ignored|skip|skips|skipped|omit|disable|disabled|suppress|suppressions|` +
		`allow|allowed|allowlist|whitelist|baseline)\b`)
	takeInRE = lazily(`\b(fail on|include|includes|included|enable|enabled|rules|checks|plugins|files|paths|sources|specs|tests|suites|projects|targets|` +
		`select|require|required|disallowed|forbidden|deny|detectors|mutate|packages|modules|crates)\b`)
	containerRE = lazily(`^(paths|files|modules|packages|patterns|sources|dirs|directories|classes)$`)
	strengthRE  = lazily(`(?i)^(error|errors|warn|warning|info|hint|off|on|deny|allow|forbid|none|null|true|false|fatal|silent|ignore|critical|major|minor)$`)
)

// meaningOf reads a setting that no row knows by the words of its name and the
// kind of its values.
func meaningOf(p, key string, a, b []string) (keyRule, bool) {
	base := strings.ToLower(baseName(p))
	rule := toolRule(base)
	if section := toolRule(strings.ToLower(key)); sharedFile(base) || section == "C05" && rule != "" {
		rule = section
	}
	if strings.HasPrefix(key, "scripts.") || strings.HasSuffix(key, "list_externals") {
		return keyRule{}, false
	}
	if rule == "" {
		return keyRule{}, false
	}
	r := keyRule{rule: rule, sev: loopcore.SevBlock}
	leaf := key[strings.LastIndexAny(key, ".@/")+1:]
	if strings.HasPrefix(leaf, "[") {
		leaf = key
	}
	w, all := wordsOf(leaf), wordsOf(key)
	if w == "value" {
		w = all
	}
	var ok bool
	switch {
	case numeric(a) && numeric(b):
		r.rule, r.dir, ok = numberMeaning(rule, w, all)
	case strings.Contains(key, "rules.") && len(a) > 1:
		r.dir, ok = looseLevel, true
	case switches(a, b):
		r.dir, ok = switchMeaning(w, len(a) > 0 && len(b) > 0 || !truthy(first(b)) && !falsy(first(b)))
	case leaveOutRE.MatchString(w), leaveOutRE.MatchString(all) && (containerRE.MatchString(w) || len(a) == 0 && !takeInRE.MatchString(w)):
		r.dir, ok = looseGrow, true
	case takeInRE.MatchString(w):
		r.dir, ok = looseShrink, true
	}
	if r.rule == "C01" && r.dir <= looseOff {
		r.rule = "C02"
	}
	return r, ok
}

// optionRE is an option of one rule of a linter.
var optionRE = lazily(`\.\[[1-9]\d*\]\.|\.options\.`)

// sharedFile says whether a file holds the settings of many tools, each in its own section.
func sharedFile(base string) bool {
	switch base {
	case "package.json", "composer.json", "pyproject.toml", "setup.cfg", "tox.ini", "cargo.toml", "pom.xml", "cmakepresets.json", ".editorconfig":
		return true
	}
	return strings.HasSuffix(base, ".kts")
}

// numberMeaning says which way of a number is loose.
func numberMeaning(rule, leaf, key string) (string, direction, bool) {
	switch {
	case strings.Contains(leaf, "version"):
		return rule, 0, false
	case retryWordRE.MatchString(leaf), timeWordRE.MatchString(leaf):
		return "C06", looseUp, true
	case rule == "C05" && lowWordRE.MatchString(leaf):
		return rule, looseDown, true
	case rule == "C01" && !mayFailRE.MatchString(leaf):
		return rule, 0, false
	case ceilingWordRE.MatchString(leaf), rule == "C03" && strings.Contains(leaf, "threshold"):
		return rule, looseUp, true
	case rule == "C05" && floorWordRE.MatchString(key), rule != "C01" && floorWordRE.MatchString(leaf):
		return rule, looseDown, true
	}
	return rule, 0, false
}

// switchMeaning says which way of a switch or a severity is loose; ranked says
// that the values tell it by themselves.
func switchMeaning(leaf string, ranked bool) (direction, bool) {
	switch {
	case laxWordRE.MatchString(leaf):
		return looseOn, true
	case strictWordRE.MatchString(leaf):
		return looseOff, true
	}
	return looseLevel, ranked
}

// numeric says whether values hold at most one number.
func numeric(vs []string) bool {
	_, ok := amount(first(vs))
	return len(vs) == 0 || len(vs) == 1 && ok
}

// switches says whether both sides hold at most one switch or severity.
func switches(a, b []string) bool {
	one := func(vs []string) bool { return len(vs) == 0 || len(vs) == 1 && strengthRE.MatchString(first(vs)) }
	return one(a) && one(b)
}

// wordsOf spells a name in lower-case words: failOnWarning as fail on warning.
func wordsOf(name string) string {
	return strings.ToLower(strings.Map(func(r rune) rune {
		if r == '-' || r == '_' || r == '.' {
			return ' '
		}
		return r
	}, humpRE.ReplaceAllString(name, "$1 $2")))
}

var humpRE = lazily(`([a-z0-9])([A-Z])`)
