package engine

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// caches are what test runners leave in a tree that does not ignore them: of
// no value to anyone, rewritten by every run, so never part of a tested tree.
var caches = []string{"__pycache__/", "*.py[co]", ".pytest_cache/", ".mypy_cache/", ".ruff_cache/", ".hypothesis/", ".phpunit.result.cache", ".phpunit.cache/",
	".nyc_output/", ".vitest/", ".eslintcache", ".tsbuildinfo", "*.tsbuildinfo", ".coverage", ".stryker-tmp/", ".fixloop/"}

// sources is the work tree as the parser may look at it.
func (s *space) sources() fs.FS { return os.DirFS(s.repo.Top()) }

// sourceDirs are where a repository keeps modules of its own.
var sourceDirs = []string{".", "src", "lib", "tests", "test", "spec", "app"}

// owns reports whether the repository itself has a module of that name, so
// that a missing import is its own fault and nothing to install.
func (s *space) owns(module string) bool {
	name, _, _ := strings.Cut(strings.ReplaceAll(module, ".", "/"), "/")
	if name == "" {
		return false
	}
	for _, d := range sourceDirs {
		base := filepath.Join(s.repo.Top(), d, name)
		for _, ext := range []string{"", ".py", ".js", ".ts", ".rb", ".mjs", ".cjs"} {
			if _, err := os.Stat(base + ext); err == nil {
				return true
			}
		}
	}
	mod, err := os.ReadFile(filepath.Join(s.repo.Top(), "go.mod"))
	if err != nil {
		return false
	}
	first, _, _ := strings.Cut(string(mod), "\n")
	own := strings.TrimSpace(strings.TrimPrefix(first, "module"))
	return own != "" && (module == own || strings.HasPrefix(module, own+"/"))
}

// lookup is the environment as runners see it: GOFLAGS that `go env -w` wrote
// would be hidden by one that is set, so it is read from go's own file.
func lookup(name string) (string, bool) {
	if v, ok := os.LookupEnv(name); ok || name != "GOFLAGS" {
		return v, ok
	}
	path := os.Getenv("GOENV")
	if path == "" {
		dir, err := os.UserConfigDir()
		if err != nil {
			return "", false
		}
		path = filepath.Join(dir, "go", "env")
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return "", false
	}
	for line := range strings.SplitSeq(string(data), "\n") {
		if v, ok := strings.CutPrefix(strings.TrimSpace(line), "GOFLAGS="); ok {
			return v, true
		}
	}
	return "", false
}

// glob finds the files of an absolute pattern, ** included; links that lead to
// folders are not followed.
func glob(pattern string) []string {
	if !strings.ContainsAny(pattern, "*?[{") {
		return []string{pattern}
	}
	base, rest := doublestar.SplitPattern(filepath.ToSlash(pattern))
	found, err := doublestar.Glob(os.DirFS(base), rest, doublestar.WithNoFollow(), doublestar.WithFilesOnly())
	if err != nil {
		return nil
	}
	for i, f := range found {
		found[i] = filepath.Join(base, filepath.FromSlash(f))
	}
	return found
}
