package guard

import "github.com/bmatcuk/doublestar/v4"

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
