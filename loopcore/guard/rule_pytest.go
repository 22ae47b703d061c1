package guard

import (
	"fmt"
	"strings"

	"fixloop/loopcore"
)

// pyFilesRE is a file that pytest reads its options from.
var pyFilesRE = lazily(pyFiles)

// pytestOptions judges addopts, testpaths and filterwarnings, which are more than lists.
func (d *diff) pytestOptions(f *fileDiff, key string, a, b []string) bool {
	if !pyFilesRE.MatchString(strings.ToLower(f.path())) || !strings.Contains(key, "pytest") {
		return false
	}
	line := keyLine(string(data(f.new)), key, b)
	switch key[strings.LastIndexByte(key, '.')+1:] {
	case "addopts":
		if x, y := strings.Join(a, " "), strings.Join(b, " "); countMatches(updateRE, y) > countMatches(updateRE, x) {
			d.report("S02", loopcore.SevBlock, f.path(), line, "addopts: expected output is rewritten by the run: "+strings.TrimSpace(updateRE.FindString(y)))
		}
		for _, h := range compareFlags("pytest", strings.Fields(strings.Join(a, " ")), strings.Fields(strings.Join(b, " "))) {
			rule := h.rule
			if rule == "C08" {
				rule = "C01"
			}
			d.report(rule, h.sev, f.path(), line, "addopts: "+h.why)
		}
	case "testpaths":
		x, y := splitValues(a), splitValues(b)
		if gone := minus(x, y); len(gone) > 0 && len(y) > 0 && !d.widened(gone, y) {
			d.report("C01", loopcore.SevBlock, f.path(), line, fmt.Sprintf("testpaths: %s → %s", show(a), show(b)))
		} else if len(a) == 0 && len(y) > 0 && f.old != nil && d.outsideTests(y) {
			d.report("C01", loopcore.SevBlock, f.path(), line, "testpaths leaves tests out: "+show(b))
		}
	case "filterwarnings":
		for _, v := range minus(b, a) {
			if strings.HasPrefix(v, "ignore") || strings.HasPrefix(v, "default") {
				d.report("C10", loopcore.SevBlock, f.path(), line, "filterwarnings gained "+v)
			}
		}
		for _, v := range minus(a, b) {
			if strings.HasPrefix(v, "error") {
				d.report("C10", loopcore.SevBlock, f.path(), line, "filterwarnings lost "+v)
			}
		}
	default:
		return false
	}
	return true
}

// pythonClasses are the globs of classes that pytest collects by the settings of
// the baseline; only the default where they name none.
func (d *diff) pythonClasses() []string {
	if d.pyNames != nil {
		return d.pyNames
	}
	d.pyNames = []string{"Test"}
	for _, p := range [...]string{"pytest.ini", "pyproject.toml", "tox.ini", "setup.cfg"} {
		b, ok := d.read(d.in.Before, p)
		if !ok || len(b) > maxConfig || !strings.Contains(string(b), "python_classes") {
			continue
		}
		s, _ := readSettings(p, b)
		for k, v := range s {
			if strings.Contains(k, "pytest") && strings.HasSuffix(k, "python_classes") {
				d.pyNames = append(d.pyNames, splitValues(v)...)
			}
		}
	}
	return d.pyNames
}

// outsideTests says whether a test file of the tree lies outside of the given folders.
func (d *diff) outsideTests(dirs []string) bool {
	if d.in.After == nil {
		return false
	}
	n := 0
	for _, p := range d.in.After.List() {
		if langOf(p, "") != langPython || !isTestFile(p) || isInstalled(p) {
			continue
		}
		in := false
		for _, dir := range dirs {
			dir = strings.TrimSuffix(strings.TrimPrefix(dir, "./"), "/")
			in = in || dir == "." || strings.HasPrefix(p, dir+"/") || p == dir
		}
		if !in {
			return true
		}
		if n++; n > 5000 {
			return false
		}
	}
	return false
}
