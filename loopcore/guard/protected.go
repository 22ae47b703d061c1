package guard

import (
	"sort"

	"github.com/bmatcuk/doublestar/v4"

	"fixloop/loopcore"
)

// Protected lists the changed paths that a violation restores from the
// baseline: every file of the gate's side (tests, support, data, snapshots,
// settings, installed dependencies, reports) that existed before or stands in
// a blocking finding, and the paths that Protect names. Implementation files
// are in the list only when a blocking finding stands in them, because the
// honest part of an edit is kept: then only that file goes back.
func Protected(in Input, findings []loopcore.Finding) []string {
	blocked := map[string]bool{}
	for _, f := range findings {
		if f.Severity == loopcore.SevBlock {
			blocked[f.File] = true
		}
	}
	var out []string
	for _, c := range in.Changes {
		if same(c.Old, c.New) {
			continue
		}
		if blocked[c.Path] || c.Old != nil && gatePath(c.Path) || matchAny(in.Protect, c.Path) {
			out = append(out, c.Path)
		}
	}
	sort.Strings(out)
	return out
}

// IsProtected says whether a path belongs to the gate's side: what a hook
// refuses to let an agent edit while a loop is open. New tests are welcome, so
// the caller asks only for paths that exist; IsSetting and IsNamed tell which
// new ones are not.
func IsProtected(p string, globs []string) bool { return gatePath(p) || matchAny(globs, p) }

// IsSetting says whether a path configures the gate, a runner or a checker: a
// file of that name counts even where there was none before.
func IsSetting(p string) bool { return roleOf(p) == roleConfig }

// IsNamed says whether a path is one of those that the user's globs protect,
// whether there is a file or not.
func IsNamed(p string, globs []string) bool { return matchAny(globs, p) }

func gatePath(p string) bool {
	switch roleOf(p) {
	case roleCode, roleDocs, roleOther:
		return false
	}
	return true
}

func matchAny(globs []string, p string) bool {
	for _, g := range globs {
		if ok, err := doublestar.Match(g, p); err == nil && ok {
			return true
		}
	}
	return false
}
