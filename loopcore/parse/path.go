package parse

import (
	"io/fs"
	"path"
	"strings"

	"fixloop/loopcore"
)

// knownPaths remembers what was found out about paths: every failure names some,
// and mostly the same.
type knownPaths struct {
	paths   map[string]string
	foreign map[string]bool
}

func newKnownPaths() *knownPaths {
	return &knownPaths{paths: map[string]string{}, foreign: map[string]bool{}}
}

// remembered finds out about a path once.
func remembered[V any](known map[string]V, p string, find func(string) V) V {
	v, ok := known[p]
	if !ok {
		v = find(p)
		known[p] = v
	}
	return v
}

// Path is a path of the output as one relative to the repository where it can
// be told: slashes, no ./ or file://, without the folder the run worked in.
func (l *Log) Path(p string) string {
	if p == "" || l.known == nil {
		return l.path(p)
	}
	return remembered(l.known.paths, p, l.path)
}

func (l *Log) path(p string) string {
	if strings.HasPrefix(p, "<frozen ") || p == "<string>" || p == "<anonymous>" { // no file
		return p
	}
	p = strings.Trim(p, "\"'`<>()[]")
	p = strings.TrimPrefix(p, "file://")
	p = strings.TrimPrefix(p, "webpack:///")
	p = strings.ReplaceAll(p, `\`, "/")
	if len(p) > 3 && p[0] == '/' && p[2] == ':' { // file:///C:/x
		p = p[1:]
	}
	if p == "" {
		return ""
	}
	p = path.Clean(p)
	if !absolute(p) {
		for strings.HasPrefix(p, "../") { // a build folder's way up to the sources
			p = p[len("../"):]
		}
		return p
	}
	if rel, ok := under(p, l.dir); ok {
		return rel
	}
	if l.In.Root != nil {
		if rel, ok := inRoot(l.In.Root, p); ok {
			return rel
		}
	}
	return p
}

// under is p relative to dir, if it lies in it.
func under(p, dir string) (string, bool) {
	if dir == "" || !strings.HasPrefix(p, dir+"/") {
		return "", false
	}
	return p[len(dir)+1:], true
}

// inRoot finds the longest tail of an absolute path that exists in the sources.
func inRoot(root fs.FS, p string) (string, bool) {
	rest := p
	for {
		i := strings.IndexByte(rest, '/')
		if i < 0 {
			return "", false
		}
		rest = rest[i+1:]
		if rest == "" {
			return "", false
		}
		if st, err := fs.Stat(root, rest); err == nil && !st.IsDir() {
			return rest, true
		}
	}
}

// absolute reports whether p (with slashes) begins at a root or a drive.
func absolute(p string) bool {
	return strings.HasPrefix(p, "/") || len(p) > 2 && p[1] == ':' && p[2] == '/'
}

// withoutDrive is a path of the output without the letter of its drive.
func withoutDrive(p string) string {
	if absolute(strings.ReplaceAll(p, `\`, "/")) && p[1] == ':' {
		return p[2:]
	}
	return p
}

// Foreign reports whether a path belongs to a dependency, the language's own
// library or the runner, rather than to the repository.
func (l *Log) Foreign(p string) bool {
	if p == "" || l.known == nil {
		return l.isForeign(p)
	}
	return remembered(l.known.foreign, p, l.isForeign)
}

func (l *Log) isForeign(p string) bool {
	p = strings.ReplaceAll(p, `\`, "/")
	for i := range len(p) {
		for _, mark := range foreignBy[p[i]] {
			if strings.HasPrefix(p[i:], mark) {
				return true
			}
		}
	}
	return absolute(p) && l.dir != "" && strings.HasPrefix(p, "/usr/")
}

// foreignMarks are parts of paths where no repository keeps its own sources.
var foreignMarks = []string{
	"node_modules/", "site-packages/", "dist-packages/", "/lib/python", "node:internal", "node:", "internal/process",
	"/usr/local/go/src/", "/usr/lib/go", "/go/pkg/mod/", "/libexec/src/", "/rustc/", "/.cargo/registry/", "/rustlib/src/", "library/std/src/",
	"library/core/src/", "library/alloc/src/", "library/test/src/",
	"/gems/", "/lib/ruby/", "/vendor/bundle/", "vendor/phpunit/", "/usr/share/php", "/vendor/", "/usr/share/lua", "/luarocks/",
	"<frozen ", "<internal:", "<string>", "<anonymous>", "(native)", "/usr/include/", "/usr/share/", "bun:", "ext:", "deno:", "webpack/bootstrap",
	"/_pytest/", "/pluggy/", "/deps/", "/lib/elixir/", "/src/googletest/", "/gtest/",
	"/Program Files", "/AppData/Local/Programs/", "/hostedtoolcache/", "/Go/src/", "/Python.framework/", "/Cellar/",
}

// foreignBy are those marks by their first byte.
var foreignBy = byFirst(foreignMarks)

// byFirst orders texts by their first byte.
func byFirst(texts []string) (by [256][]string) {
	for _, t := range texts {
		by[t[0]] = append(by[t[0]], t)
	}
	return by
}

// workDir finds the folder that the run worked in, where some line tells it:
// paths below it are then relative to the repository.
func workDir(l *Log) string {
	for i, line := range l.Lines {
		if i > 400 {
			return ""
		}
		for _, m := range dirMarks {
			at := strings.Index(line, m)
			if at < 0 {
				continue
			}
			rest := strings.TrimLeft(line[at+len(m):], " v0123456789.'\"`")
			end := strings.IndexAny(rest, " '\"`,;)]")
			if end >= 0 {
				rest = rest[:end]
			}
			rest = strings.ReplaceAll(rest, `\`, "/")
			if absolute(rest) && len(rest) > 3 {
				return strings.TrimRight(rest, "/")
			}
		}
	}
	return ""
}

// dirMarks come before the working folder in what runners print.
var dirMarks = []string{"rootdir: ", "Entering directory ", " RUN  ", "Internal ctest changing into directory: ", "Test project ", "Root directory: "}

// sourceDirs are folders that stand at the top of a repository.
var sourceDirs = []string{"/src/", "/test/", "/tests/", "/spec/", "/lib/", "/e2e/", "/app/", "/pkg/", "/internal/", "/cmd/", "/__tests__/",
	"/packages/", "/sources/"}

// relative makes the paths that are still absolute relative, where the sources
// are not at hand to tell: below the folder that all of them share, which ends
// before a folder that names a part of a repository.
func relative(l *Log, r *loopcore.Report) {
	if l.In.Root != nil {
		return
	}
	base, one := "", true
	for _, f := range r.Failures {
		if !absolute(f.File) || l.Foreign(f.File) {
			continue
		}
		dir := path.Dir(f.File)
		if base == "" {
			base = dir
			continue
		}
		one = one && dir == base
		for base != dir && !strings.HasPrefix(dir, base+"/") && base != "/" && base != "." {
			base = path.Dir(base)
		}
	}
	if base == "" || base == "/" || base == "." {
		return
	}
	// The last such name would be the wrong one in /home/me/src/shop/test.
	cut := -1
	for _, d := range sourceDirs {
		if at := strings.LastIndex(strings.ToLower(base)+"/", d); at > cut {
			cut = at
		}
	}
	switch {
	case cut > 0:
		base = base[:cut]
	case one: // the folder may be a part of the repository
		base = path.Dir(base)
	}
	for i := range r.Failures {
		f := &r.Failures[i]
		f.File = trimBase(f.File, base)
		for k := range f.Frames {
			f.Frames[k].File = trimBase(f.Frames[k].File, base)
		}
	}
	for i := range r.Tests {
		r.Tests[i].File = trimBase(r.Tests[i].File, base)
	}
}

func trimBase(p, base string) string {
	if rel, ok := under(p, base); ok {
		return rel
	}
	return p
}
