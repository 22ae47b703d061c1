package parse

import (
	"io/fs"
	"path"
	"strings"

	"fixloop/loopcore"
)

// maxSettleFiles bounds the files that are looked through for a missing one.
const maxSettleFiles = 50000

// settle finds in the sources what a runner names in its own way: relative to
// the folder that it ran in, or by package (a JVM's frame says calc/GcdTest.java
// of src/test/java/calc/GcdTest.java). What is not there, or there twice, stays
// as it was named.
func settle(l *Log, r *loopcore.Report) {
	if l.In.Root == nil {
		return
	}
	s := settler{root: l.In.Root, dir: path.Clean(l.In.Dir), known: map[string]string{}}
	for i := range r.Failures {
		f := &r.Failures[i]
		f.File = s.place(f.File)
		for k := range f.Frames {
			f.Frames[k].File = s.place(f.Frames[k].File)
		}
	}
	for i := range r.Tests {
		r.Tests[i].File = s.place(r.Tests[i].File)
	}
}

// settler remembers what it looked up.
type settler struct {
	root   fs.FS
	dir    string // where the command ran
	known  map[string]string
	byName map[string][]string // base name to paths; nil before the first look
}

func (s *settler) place(file string) string {
	if file == "" || absolute(file) || !fs.ValidPath(file) {
		return file
	}
	if at, ok := s.known[file]; ok {
		return at
	}
	at := s.find(file)
	s.known[file] = at
	return at
}

func (s *settler) find(file string) string {
	if s.dir != "." && s.there(path.Join(s.dir, file)) {
		return path.Join(s.dir, file)
	}
	if s.there(file) || !sourceExts[path.Ext(file)] {
		return file
	}
	if s.byName == nil {
		s.list()
	}
	best := ""
	for _, p := range s.byName[path.Base(file)] {
		if !strings.HasSuffix(p, "/"+file) {
			continue
		}
		if best != "" {
			return file
		}
		best = p
	}
	if best == "" {
		return file
	}
	return best
}

func (s *settler) there(p string) bool {
	st, err := fs.Stat(s.root, p)
	return err == nil && !st.IsDir()
}

// list walks the sources once.
func (s *settler) list() {
	s.byName = map[string][]string{}
	n := 0
	_ = fs.WalkDir(s.root, ".", func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil
		case d.IsDir() && skipDirs[d.Name()]:
			return fs.SkipDir
		case d.IsDir() || !sourceExts[path.Ext(p)]:
			return nil
		}
		if n++; n > maxSettleFiles {
			return fs.SkipAll
		}
		s.byName[path.Base(p)] = append(s.byName[path.Base(p)], p)
		return nil
	})
}
