package guard

import (
	"sort"
	"strings"
)

// baseIndex puts the baseline's paths in order once, so that what is asked for
// every changed literal or new directive costs no walk of the whole tree.
type baseIndex struct {
	kinds map[string]*kindIndex // by extension
	texts map[string]string     // files that were read
	left  int                   // bytes that texts may still take
	code  map[string][]string   // memory of codeNear, by test file
}

// kindIndex is the paths of one extension, in the order of the tree.
type kindIndex struct {
	all    []string
	inDir  map[string][]string
	byStem map[string][]string // lower-cased base names without extension
}

// maxLooked bounds the paths that are looked at to find those.
const maxLooked = 20 * maxPractice

// maxTexts bounds the bytes of the baseline that are held in memory.
const maxTexts = 32 << 20

// index reads the list of the baseline, at the first call.
func (d *diff) index() *baseIndex {
	if d.base != nil {
		return d.base
	}
	d.base = &baseIndex{kinds: map[string]*kindIndex{}, texts: map[string]string{}, left: maxTexts, code: map[string][]string{}}
	if d.in.Before == nil {
		return d.base
	}
	for _, p := range d.in.Before.List() {
		e := ext(p)
		k := d.base.kinds[e]
		if k == nil {
			k = &kindIndex{inDir: map[string][]string{}, byStem: map[string][]string{}}
			d.base.kinds[e] = k
		}
		k.all = append(k.all, p)
		dir, stem := dirOf(p), stemOf(p)
		k.inDir[dir] = append(k.inDir[dir], p)
		k.byStem[stem] = append(k.byStem[stem], p)
	}
	return d.base
}

// stemOf is the lower-cased base name without its extension.
func stemOf(p string) string { return strings.ToLower(strings.TrimSuffix(baseName(p), ext(p))) }

// baseText returns a file of the baseline that is small enough to be searched.
func (d *diff) baseText(p string) (string, bool) {
	x := d.index()
	if s, known := x.texts[p]; known {
		return s, true
	}
	b, ok := d.read(d.in.Before, p)
	if !ok || len(b) >= maxUnit {
		return "", false
	}
	s := string(b)
	if x.left >= len(s) {
		x.left -= len(s)
		x.texts[p] = s
	}
	return s, true
}

// codeNear lists the code of the baseline that a file of tests may be about:
// that of its folder, and files whose name its own holds.
func (d *diff) codeNear(p string) []string {
	x := d.index()
	if known, ok := x.code[p]; ok {
		return known
	}
	var out []string
	if k := x.kinds[ext(p)]; k != nil {
		seen := map[string]bool{}
		looked := 0
		take := func(paths []string) {
			for _, c := range paths {
				if looked++; len(out) == maxPractice || looked > maxLooked {
					return
				}
				if !seen[c] && roleOf(c) == roleCode {
					seen[c] = true
					out = append(out, c)
				}
			}
		}
		for _, stem := range partsOf(stemOf(p)) {
			take(k.byStem[stem])
		}
		take(k.inDir[dirOf(p)])
	}
	x.code[p] = out
	return out
}

// maxStem bounds the length of a name that is taken apart, in bytes.
const maxStem = 100

// partsOf lists every part of a name, the longest first: the file that the name
// holds whole is likelier the one it is about than one that it holds a bit of.
func partsOf(name string) []string {
	if len(name) > maxStem {
		name = name[:maxStem]
	}
	seen := map[string]bool{}
	var out []string
	for i := range name {
		for e := i + 1; e <= len(name); e++ {
			if s := name[i:e]; !seen[s] {
				seen[s] = true
				out = append(out, s)
			}
		}
	}
	sort.SliceStable(out, func(i, j int) bool { return len(out[i]) > len(out[j]) })
	return out
}

// kin lists files of the baseline of the kind of p, those of its folder first,
// as many as are looked at.
func (d *diff) kin(p string) []string {
	k := d.index().kinds[ext(p)]
	if k == nil {
		return nil
	}
	var out []string
	looked := 0
	take := func(paths []string, far bool) {
		for _, c := range paths {
			if looked++; len(out) == maxPractice || looked > maxLooked {
				return
			}
			if c != p && !(far && dirOf(c) == dirOf(p)) && !isInstalled(c) {
				out = append(out, c)
			}
		}
	}
	take(k.inDir[dirOf(p)], false)
	take(k.all, true)
	return out
}
