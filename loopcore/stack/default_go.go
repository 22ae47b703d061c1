package stack

import (
	"path"
	"strings"

	"fixloop/loopcore"
)

func joinDir(dir, name string) string { return path.Join(dir, name) }

var useRE = loopcore.Lazily(`(?m)^\s*(?:use\s+)?(\./[^\s)]*|\.)\s*(?://.*)?$`)

// defaultGo: one module's packages, or those of every module a go.work uses.
// go vet compiles the tests too, so that it also is the type check.
func defaultGo(r *repo, dir string) []candidate {
	file, pattern := path.Join(dir, "go.mod"), "./..."
	if !r.has(file) {
		file = path.Join(dir, "go.work")
		var pats []string
		for _, m := range useRE.FindAllStringSubmatch(r.text(file), -1) {
			pats = append(pats, strings.TrimSuffix(m[1], "/")+"/...")
		}
		if len(pats) == 0 {
			return nil
		}
		pattern = strings.Join(pats, " ") // ./... fails at a root that is no module
	}
	line := lineOf(r.text(file), "use")
	if strings.HasSuffix(file, "go.mod") {
		line = lineOf(r.text(file), "module")
	}
	out := []candidate{
		by(kTest, "go test "+pattern, file, line, confConfigured),
		by(kBuild, "go build "+pattern, file, line, confConfigured),
	}
	if cfg := r.first(dir, ".golangci.yml", ".golangci.yaml", ".golangci.toml", ".golangci.json"); cfg != "" {
		return append(out, by(kLint, "golangci-lint run", cfg, 1, confConfigured))
	}
	return append(out, by(kLint, "go vet "+pattern, file, line, confConfigured))
}
