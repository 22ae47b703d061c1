package parse

import (
	"io/fs"
	"path"
	"sort"
	"strconv"
	"strings"

	"fixloop/loopcore"
)

// Clusters groups a report's failures by their probable cause, largest first.
// A failed build is one cluster, with its causes inside. For tests the sources
// (root; nil if not at hand) tell more than the messages: failing tests that
// share the deepest frame, or a function that only failing tests use, are one.
// Optional failures are left out.
func Clusters(r loopcore.Report, root fs.FS) []loopcore.Cluster {
	fs := required(r.Failures)
	if len(fs) == 0 {
		return nil
	}
	var groups []causeGroup
	switch {
	case r.Status == loopcore.StatusBuildError && r.Kind == loopcore.KindTest && !compiling(fs):
		groups = byLoadError(fs)
	case r.Status == loopcore.StatusBuildError:
		return numbered([]causeGroup{buildGroup(fs)}, fs)
	case onlyDiagnostics(fs):
		groups = byMessage(fs)
	case root != nil:
		groups = bySource(r, fs, root)
	default:
		groups = byFrameAndMessage(fs)
	}
	return numbered(groups, fs)
}

// causeGroup is failures (by index) with one probable cause.
type causeGroup struct {
	cause   string
	members []int
	causes  []string
}

func onlyDiagnostics(fs []loopcore.Failure) bool {
	for _, f := range fs {
		if f.Name != "" {
			return false
		}
	}
	return true
}

// compiling reports whether the failures are a compiler's: places without
// tests. Test files that could not be loaded are not; they fail one by one.
func compiling(fs []loopcore.Failure) bool {
	for _, f := range fs {
		if f.Kind == loopcore.FailCompile && f.Suite == "" {
			return true
		}
	}
	return false
}

// byLoadError groups test files that could not be loaded by the error alone:
// many of them import the same broken thing.
func byLoadError(fs []loopcore.Failure) []causeGroup {
	return grouped(fs, func(f loopcore.Failure) string {
		msg, _, _ := strings.Cut(f.Message, " (at ")
		msg, _, _ = strings.Cut(msg, " imported from ")
		return loopcore.Fold(msg)
	})
}

// buildGroup is one group of all errors; its causes are the distinct messages.
func buildGroup(fs []loopcore.Failure) causeGroup {
	g := causeGroup{cause: fs[0].Message}
	seen := map[string]bool{}
	for i, f := range fs {
		g.members = append(g.members, i)
		if key := loopcore.Fold(f.Message); !seen[key] && len(g.causes) < 20 {
			seen[key] = true
			g.causes = append(g.causes, f.Message)
		}
	}
	return g
}

// byMessage groups diagnostics with the same rule, or the same normalised
// message.
func byMessage(fs []loopcore.Failure) []causeGroup {
	return grouped(fs, func(f loopcore.Failure) string {
		if f.Rule != "" {
			return f.Rule
		}
		return loopcore.Fold(f.Message)
	})
}

// byFrameAndMessage groups by the deepest frame that is not a test's, else by
// the message.
func byFrameAndMessage(fs []loopcore.Failure) []causeGroup {
	l := &Log{}
	return grouped(fs, func(f loopcore.Failure) string {
		for _, fr := range f.Frames {
			if !testPath(fr.File) && !l.Foreign(fr.File) {
				return fr.File + ":" + strconv.Itoa(fr.Line)
			}
		}
		return loopcore.Fold(f.Message)
	})
}

func grouped(fs []loopcore.Failure, key func(loopcore.Failure) string) []causeGroup {
	at := map[string]int{}
	var out []causeGroup
	for i, f := range fs {
		k := key(f)
		g, ok := at[k]
		if !ok {
			g = len(out)
			at[k] = g
			out = append(out, causeGroup{cause: f.Message})
		}
		out[g].members = append(out[g].members, i)
	}
	return out
}

// numbered orders the groups and makes clusters of them.
func numbered(groups []causeGroup, fs []loopcore.Failure) []loopcore.Cluster {
	sort.SliceStable(groups, func(a, b int) bool { return len(groups[a].members) > len(groups[b].members) })
	out := make([]loopcore.Cluster, 0, len(groups))
	for n, g := range groups {
		c := loopcore.Cluster{ID: "c" + strconv.Itoa(n+1), Cause: g.cause, Causes: g.causes}
		if c.Causes == nil {
			c.Causes = []string{}
		}
		files := map[string]bool{}
		for _, i := range g.members {
			c.Failures = append(c.Failures, fs[i].ID)
			if f := fs[i].File; f != "" && !files[f] {
				files[f] = true
				c.Files = append(c.Files, f)
			}
		}
		sort.Strings(c.Files)
		if c.Files == nil {
			c.Files = []string{}
		}
		c.Module = commonDir(c.Files)
		out = append(out, c)
	}
	return out
}

// commonDir is the folder that all files share, or the one file.
func commonDir(files []string) string {
	if len(files) == 0 {
		return ""
	}
	if len(files) == 1 {
		return files[0]
	}
	dir := path.Dir(files[0])
	for _, f := range files[1:] {
		for dir != "." && dir != "/" && !strings.HasPrefix(f, dir+"/") {
			dir = path.Dir(dir)
		}
	}
	return dir
}

// causeText says in one line what a cluster is about.
func causeText(f loopcore.Failure, symbol string) string {
	if symbol == "" || symbol == "setup" {
		return f.Message
	}
	return symbol + ": " + f.Message
}
