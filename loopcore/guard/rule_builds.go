package guard

import (
	"path"
	"strings"

	"fixloop/loopcore"
)

// sourceRE is a source as lists of a build name it.
var sourceRE = lazily(`[\w./${}-]+\.(cpp|cc|cxx|c|cu|rs|go|py|swift|m|mm)\b`)

// outOfPattern says whether the patterns of files in the settings and tasks of
// the project held the path of a file of tests and hold its new one no more.
func (d *diff) outOfPattern(before, after string) bool {
	held, holds := false, false
	for _, p := range d.listAfter() {
		if !isCI(p) && !isConfig(p) && langOf(p, "") != langMake {
			continue
		}
		b, _ := d.read(d.in.After, p)
		for _, g := range filePatternRE.FindAllString(string(b), -1) {
			g = strings.TrimPrefix(g, "./")
			a, _ := path.Match(g, before)
			n, _ := path.Match(g, after)
			held, holds = held || a, holds || n
		}
		holds = holds || strings.Contains(string(b), baseName(after))
	}
	return held && !holds
}

// filePatternRE is a pattern of paths.
var filePatternRE = lazily(`[\w./-]*\*[\w./*-]*`)

// droppedFromBuild reports a list of sources that no longer names a file of
// tests which is still there: T09.
func (d *diff) droppedFromBuild(f *fileDiff) {
	if f.old == nil || f.new == nil {
		return
	}
	switch b := baseName(f.path()); {
	case b == "CMakeLists.txt", b == "meson.build", b == "BUILD", b == "BUILD.bazel", b == "Makefile.am", b == "SConstruct", b == "configure.ac":
	default:
		return
	}
	now := string(f.new.Data)
	for _, src := range sourceRE.FindAllString(string(f.old.Data), -1) {
		p := path.Join(dirOf(f.path()), src)
		if strings.Contains(now, src) || !isTestFile(p) || d.byPath[p] != nil {
			continue
		}
		if _, there := d.read(d.in.After, p); !there || d.globbed(now, src) {
			continue
		}
		d.report("T09", loopcore.SevBlock, f.path(), 0, p+" is no longer built")
	}
}

// globbed says whether a list of sources takes whole folders or a variable in place of a name.
func (d *diff) globbed(now, src string) bool {
	stem := strings.TrimSuffix(baseName(src), ext(src))
	return strings.Contains(now, "GLOB") || strings.Contains(now, "glob(") || standsIn(now, stem) || madeUp(now, src)
}

// madeUp says whether a list of sources makes up a name of a variable and one of
// its values that stands there: foreach(name a b) … test/${name}_test.cpp.
func madeUp(now, src string) bool {
	for _, s := range sourceRE.FindAllString(now, -1) {
		before, rest, _ := strings.Cut(s, "${")
		_, after, ok := strings.Cut(rest, "}")
		if !ok || len(src) <= len(before)+len(after) || !strings.HasPrefix(src, before) || !strings.HasSuffix(src, after) {
			continue
		}
		if standsIn(now, src[len(before):len(src)-len(after)]) {
			return true
		}
	}
	return false
}

// standsIn says whether a name stands in a text on its own: not as a part of a
// longer one. A name may hold whatever a path may.
func standsIn(text, name string) bool {
	wordy := func(s string, i int) bool { return i >= 0 && i < len(s) && (isNameStart(s[i]) || isDigit(s[i])) }
	if name == "" {
		return false
	}
	for from := 0; ; {
		at := strings.Index(text[from:], name)
		if at < 0 {
			return false
		}
		at, from = from+at, from+at+1
		end := at + len(name)
		if !(wordy(text, at-1) && wordy(name, 0)) && !(wordy(name, len(name)-1) && wordy(text, end)) {
			return true
		}
	}
}
