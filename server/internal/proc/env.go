package proc

import (
	"maps"
	"runtime"
	"slices"
	"strings"
)

// The variables of our own. Both begin with a prefix that Env drops, so that a
// fixloop inside a gate starts clean.
const (
	markVar      = "FIXLOOP_RUN"        // in the command's environment: which run it belongs to
	superviseVar = "FIXLOOP_SUPERVISOR" // in the supervisor's environment only
)

// leaks are the beginnings of names that must not reach a command by accident:
// GIT_DIR and its kin of the process that started the server would point the
// command's git at another repository, and FIXLOOP_ is ours.
var leaks = []string{"GIT_", "FIXLOOP_"}

// Env builds an environment: base without git's and fixloop's variables, then
// set over it. The last of several values holds; the result is sorted by name.
func Env(base []string, set map[string]string) []string {
	vars := make(map[string]string, len(base)+len(set)) // folded name to whole entry
	for _, e := range base {
		if name, ok := nameOf(e); ok && !leaking(name) {
			vars[fold(name)] = e
		}
	}
	for name, value := range set {
		if e := name + "=" + value; name != "" && !strings.ContainsAny(name, "=\x00") && !strings.Contains(value, "\x00") {
			vars[fold(name)] = e
		}
	}
	names := slices.Sorted(maps.Keys(vars))
	env := make([]string, len(names))
	for i, name := range names {
		env[i] = vars[name]
	}
	return env
}

// environ is the complete environment of one run.
func (c Command) environ(mark string) []string {
	set := maps.Clone(c.Set)
	if set == nil {
		set = map[string]string{}
	}
	set["PWD"] = c.Dir // the server's own would be taken for the name of the directory
	set[markVar] = mark
	return slices.DeleteFunc(Env(c.Env, set), func(e string) bool { return strings.HasPrefix(e, "OLDPWD=") })
}

// nameOf returns the name in an entry "name=value". On Windows a name may
// begin with "=" (the current directory of a drive).
func nameOf(entry string) (string, bool) {
	at := strings.IndexByte(entry, '=')
	if at == 0 && runtime.GOOS == "windows" {
		at = 1 + strings.IndexByte(entry[1:], '=')
	}
	return entry[:max(at, 0)], at > 0 && !strings.Contains(entry, "\x00")
}

func leaking(name string) bool {
	return slices.ContainsFunc(leaks, func(p string) bool { return strings.HasPrefix(fold(name), p) })
}

// fold returns the form by which the system tells names apart.
func fold(name string) string {
	if runtime.GOOS == "windows" {
		return strings.ToUpper(name)
	}
	return name
}
