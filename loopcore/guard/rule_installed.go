package guard

import (
	"strings"

	"fixloop/loopcore"
)

// installed judges edits of dependencies: E01 for programs, E02 for libraries.
func (d *diff) installed(f *fileDiff) {
	p := f.path()
	if isBuildOutput(p) {
		return
	}
	if d.manifestChanged(p) && f.old != nil {
		d.report("E02", loopcore.SevWarn, p, 0, "a dependency changed together with its manifest")
		return
	}
	rule := "E02"
	seg := strings.Split(p, "/")
	for k, s := range seg {
		if s == ".bin" || (s == "bin" || s == "Scripts") && k > 0 && isInstalled(seg[k-1]+"/x") {
			rule = "E01"
		}
	}
	if ext(p) == ".pth" || baseName(p) == "sitecustomize.py" || baseName(p) == "usercustomize.py" {
		rule = "E06"
	}
	if f.old == nil && rule == "E02" && d.manifestChanged(p) {
		return
	}
	if f.new == nil && rule == "E02" {
		d.report(rule, loopcore.SevHuman, p, 0, "a file of a dependency was deleted")
		return
	}
	sev := loopcore.SevBlock
	if rule == "E02" && fixtureOf(p) && (f.old == nil || !d.inLoop()) {
		sev = loopcore.SevHuman // what the tests of a bundler or loader take for installed
	}
	d.report(rule, sev, p, 0, "an installed dependency was edited without its manifest")
}

// fixtureOf says whether a path of an installed package belongs to a project in
// a folder of its own below the tests, and not to the tests themselves.
func fixtureOf(p string) bool {
	seg := strings.Split(p, "/")
	for k := range seg {
		if k > 1 && isInstalled(seg[k]+"/x") {
			return inTestDir(strings.Join(seg[:k-1], "/") + "/x")
		}
	}
	return false
}

func isBuildOutput(p string) bool {
	return hasSeg(p, "__pycache__") || hasSuffixAny(p, ".pyc", ".o", ".class", ".beam", ".log", ".map", ".tsbuildinfo", ".lock") || strings.Contains(p, "/.cache/") || strings.HasPrefix(p, "target/debug/") || strings.HasPrefix(p, "target/release/") || strings.HasPrefix(p, ".build/") || strings.HasPrefix(p, ".gradle/") || strings.Contains(p, "node_modules/.cache")
}

// manifestChanged says whether a manifest or lock of the same ecosystem changed too.
func (d *diff) manifestChanged(p string) bool {
	for _, f := range d.files {
		if isLock(f.path()) && (dirOf(f.path()) == "." || strings.HasPrefix(p, dirOf(f.path()))) {
			return true
		}
	}
	return false
}
