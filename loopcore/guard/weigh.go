package guard

import (
	"strings"

	"fixloop/loopcore"
)

// inLoop says whether the change is judged between two runs of a gate. There a
// failing run stands beside it, and whoever edits wants that run green, so that
// a doubtful edit is read against the editor. Outside of a loop, in a commit,
// nobody says which test failed: what is doubtful is for a person.
func (d *diff) inLoop() bool { return d.in.Mode == ModeFrozen }

// doubtful is block in a loop, and for a person where nothing tells that a test failed.
func (d *diff) doubtful() loopcore.Severity {
	if d.inLoop() {
		return loopcore.SevBlock
	}
	return loopcore.SevHuman
}

// net is how much the strength of the collected tests of a file grew.
func (f *fileDiff) net() int {
	before, after := collected(f.oldU), collected(f.newU)
	if before+after == 0 { // nothing says that the runner picks them up
		return strength(f.newChecks) - strength(f.oldChecks)
	}
	return after - before
}

// collected sums the strength of the tests that the runner picks up.
func collected(u *unit) int {
	n := 0
	for _, t := range u.tests {
		if t.off == "" && !t.suite {
			n += strength(t.checks)
		}
	}
	return n
}

// manyTests is the number of edited tests from which a change is a rewrite of the suite.
const manyTests = 8

// rowStrength is what a row of a table is worth beside assertions.
const rowStrength = 60

// family puts languages together whose tests are ported from one to the other.
func family(l lang) lang {
	if l == langKotlin {
		return langJava
	}
	return l
}

// repaid says whether what a file of tests lost in assertions came back in the
// same file, or in others of its language: tests that were rewritten, split or
// moved in a way that no pairing of single assertions sees. Where many tests
// were, most of it is enough. It does not excuse in a loop, where an existing
// test is not the editor's to rewrite.
func (d *diff) repaid(f *fileDiff) bool {
	if d.inLoop() || f == nil {
		return false
	}
	if f.net() >= 0 {
		return true
	}
	l := family(f.newU.lang)
	if f.new == nil {
		l = family(f.oldU.lang)
	}
	before, after, edited := 0, 0, 0
	for _, p := range d.pairs {
		if (!p.equal || p.old.unit.path != p.new.unit.path) && family(p.old.unit.lang) == l {
			before, after, edited = before+strength(p.old.checks), after+strength(p.new.checks), edited+1
		}
	}
	for _, t := range d.lost {
		if family(t.unit.lang) == l {
			before, edited = before+strength(t.checks), edited+1
		}
	}
	for _, t := range d.fresh {
		if family(t.unit.lang) == l {
			after += strength(t.checks)
		}
	}
	for _, o := range d.files { // a row is a test of its own
		if family(o.newU.lang) == l && (o.testSide() || o.hasTests()) {
			after += rowStrength * max(len(o.newU.rows(!o.testSide()))-len(o.oldU.rows(!o.testSide())), 0)
		}
	}
	return before > 0 && (after >= before || edited >= manyTests && after*10 >= before*7)
}

// versioned says whether a condition asks for a version or a feature of what
// the tests run on, which a gate may well have.
func versioned(s string) bool { return versionedRE.MatchString(s) }

var versionedRE = lazily(`(?i)version|respond_to|method_defined|hasattr|_has_|\bhas_\w+|supports?\b|supported|importlib|find_spec|isAvailable|is_available|` +
	`Loaded\?|[@#]available|\bcanImport|RUBY_ENGINE|__(cplusplus|has_include)|OTP_RELEASE|compat|_available|Available\(|_v\d|` +
	`or_(higher|newer|later|above)|\bgte?\(`)

// upgraded says whether the change also moves the version of a tool or a
// dependency: new findings and other output are then to be expected.
func (d *diff) upgraded() bool {
	for _, f := range d.files {
		if f.new == nil {
			continue
		}
		p, b := f.path(), baseName(f.path())
		switch {
		case isLock(p):
			return true
		case b == "package.json" && dependencyLines(f):
			return true
		}
		switch b {
		case "pom.xml", "build.gradle", "build.gradle.kts", ".pre-commit-config.yaml", "composer.json", "Gemfile", "mix.exs", "Cargo.toml",
			"rust-toolchain", "rust-toolchain.toml", "global.json", "Directory.Packages.props", "pyproject.toml", ".tool-versions":
			if f.old != nil && releaseRE.MatchString(addedText(string(f.old.Data), string(f.new.Data))) {
				return true
			}
		}
	}
	return false
}

// sweepingFiles is the number of edited files of code from which a change is
// taken to go through the whole of it.
const sweepingFiles = 8

// sweeping says whether the change goes through the code at large, as a new
// version of the language or a migration does: the settings of the tools that
// read that code move along, and a person must look why.
func (d *diff) sweeping() bool {
	n := 0
	for _, f := range d.files {
		if f.role == roleCode && f.old != nil && f.new != nil && f.newU.lang.isCode() && string(f.old.Data) != string(f.new.Data) {
			n++
		}
	}
	return !d.inLoop() && n >= sweepingFiles
}

// releaseRE is a version as manifests write it.
var releaseRE = lazily(`\d+\.\d+(\.\d+)?`)

// maxPractice bounds the files of the baseline that are searched for a directive.
const maxPractice = 150

// practice says whether the baseline already holds a directive of that kind, as
// narrow as the new one: what the project does elsewhere, a person may judge.
func (d *diff) practice(f *fileDiff, s suppression) bool {
	if d.inLoop() || s.broad && s.codes == "" {
		return false
	}
	if holdsDirective(f.oldU.src, s) {
		return true
	}
	if d.in.Before == nil || len(s.lead) < minLead {
		return false
	}
	for _, p := range d.kin(f.path()) {
		if src, ok := d.baseText(p); ok && holdsDirective(src, s) {
			return true
		}
	}
	return false
}

// minLead is the length from which the beginning of a directive tells it.
const minLead = 4

// holdsDirective says whether a source holds the directive of s, with some code
// where s names one and without where it names none.
func holdsDirective(src string, s suppression) bool {
	if len(s.lead) < minLead {
		return false
	}
	for {
		i := strings.Index(src, s.lead)
		if i < 0 {
			return false
		}
		src = src[i+len(s.lead):]
		if s.codes != "" || src == "" || !strings.ContainsRune(":([=", rune(src[0])) {
			return true
		}
	}
}
