package stack

import (
	"path"
	"strings"

	"fixloop/loopcore"
)

// nodeRunners are test runners by dependency, with the command that runs once.
var nodeRunners = []struct{ dep, cmd string }{
	{"vitest", "vitest run"}, {"jest", "jest"}, {"mocha", "mocha"}, {"ava", "ava"}, {"tap", "tap"}, {"uvu", "uvu"}, {"jasmine", "jasmine"},
}

// eslintFiles are eslint's configuration files.
var eslintFiles = []string{"eslint.config.js", "eslint.config.mjs", "eslint.config.cjs", "eslint.config.ts", "eslint.config.mts",
	".eslintrc", ".eslintrc.js", ".eslintrc.cjs", ".eslintrc.json", ".eslintrc.yml", ".eslintrc.yaml"}

// defaultNode: by the runners and checkers that are depended on and configured.
func defaultNode(r *repo, dir string) []candidate {
	file := path.Join(dir, "package.json")
	pkg, _ := readJSON(r.read(file))
	m := r.managerOf(dir)
	deps := merged(pkg.get("dependencies").env(), pkg.get("devDependencies").env(), pkg.get("peerDependencies").env())
	var out []candidate
	if c := r.workspaceTasks(dir, m); len(c) > 0 {
		out = append(out, c...)
	}
	for _, nr := range nodeRunners {
		if deps[nr.dep] != "" && r.hasJSTests(dir) {
			out = append(out, by(kTest, m.exec(nr.cmd), file, lineOf(r.text(file), `"`+nr.dep+`"`), confConfigured))
			break
		}
	}
	named := len(r.match(dir, "*.test.js")) + len(r.match(path.Join(dir, "test"), "*.test.js")) + len(r.match(path.Join(dir, "test"), "*.test.mjs"))
	if !anyRunner(deps) && (named > 0 || len(r.nodeTests(dir)) > 0) {
		cmd := "node --test"
		if m.name == "bun" {
			cmd = "bun test"
		}
		out = append(out, by(kTest, cmd, file, 1, confBare))
	}
	switch {
	case r.first(dir, "biome.json", "biome.jsonc") != "":
		out = append(out, by(kLint, m.exec("biome ci ."), r.first(dir, "biome.json", "biome.jsonc"), 1, confConfigured))
	case r.first(dir, eslintFiles...) != "" && deps["eslint"] != "":
		out = append(out, by(kLint, m.exec("eslint ."), r.first(dir, eslintFiles...), 1, confConfigured))
	case pkg.get("eslintConfig") != nil && deps["eslint"] != "":
		out = append(out, by(kLint, m.exec("eslint ."), file, pkg.get("eslintConfig").at(), confConfigured))
	case deps["xo"] != "":
		out = append(out, by(kLint, m.exec("xo"), file, lineOf(r.text(file), `"xo"`), confConfigured))
	case deps["standard"] != "":
		out = append(out, by(kLint, m.exec("standard"), file, lineOf(r.text(file), `"standard"`), confConfigured))
	}
	return append(out, r.tscDefault(dir, m, deps)...)
}

func anyRunner(deps map[string]string) bool {
	for _, nr := range nodeRunners {
		if deps[nr.dep] != "" {
			return true
		}
	}
	return false
}

// hasJSTests looks for test files in the usual places.
func (r *repo) hasJSTests(dir string) bool {
	for _, d := range []string{".", "test", "tests", "__tests__", "src", "src/__tests__", "spec"} {
		for _, e := range r.list(path.Join(dir, d)) {
			n := e.Name()
			if strings.Contains(n, ".test.") || strings.Contains(n, ".spec.") || strings.Contains(d, "test") && strings.HasSuffix(n, "s") && strings.Contains(n, ".") {
				return true
			}
		}
	}
	return false
}

// tscDefault is the type check of a TypeScript project that declares none.
func (r *repo) tscDefault(dir string, m manager, deps map[string]string) []candidate {
	file := path.Join(dir, "tsconfig.json")
	if !r.has(file) || deps["typescript"] == "" {
		return nil
	}
	cfg, _ := readJSON(r.read(file))
	tool := "tsc"
	switch {
	case deps["vue-tsc"] != "":
		tool = "vue-tsc"
	case deps["svelte-check"] != "":
		return []candidate{by(kType, m.exec("svelte-check"), file, 1, confConfigured)}
	case deps["@astrojs/check"] != "":
		return []candidate{by(kType, m.exec("astro check"), file, 1, confConfigured)}
	}
	args := " --noEmit"
	if len(cfg.get("references").list()) > 0 && len(cfg.get("files").list()) == 0 && cfg.get("include") == nil {
		args = " -b"
	}
	return []candidate{by(kType, m.exec(tool+args), file, 1, confConfigured)}
}

// workspaceTasks are the tasks of a monorepo tool whose root has no scripts.
func (r *repo) workspaceTasks(dir string, m manager) []candidate {
	var out []candidate
	if file := path.Join(dir, "turbo.json"); r.has(file) {
		cfg, _ := readJSON(r.read(file))
		tasks := cfg.get("tasks")
		if tasks == nil {
			tasks = cfg.get("pipeline")
		}
		best := map[loopcore.Kind]candidate{}
		tasks.each(func(name string, line int, v *node) {
			k, rank := kindOfName(name)
			if k == "" || dangerousName(name) != "" || v.get("persistent").str() == "true" || strings.ContainsAny(name, "#/") || rewritesByName(name) {
				return
			}
			if b, ok := best[k]; !ok || rank < b.rank {
				c := by(k, m.exec("turbo run "+name), file, line, 0.85)
				c.rank = rank
				best[k] = c
			}
		})
		for _, k := range loopcore.Kinds {
			if c, ok := best[k]; ok {
				c.rank = -50
				out = append(out, c)
			}
		}
		return out
	}
	return append(out, r.packageScripts(dir, m)...)
}

// packageScripts runs a script in every package, where the packages have it.
func (r *repo) packageScripts(dir string, m manager) []candidate {
	if dir != r.base {
		return nil
	}
	pkgs := r.packages()
	if len(pkgs) == 0 {
		return nil
	}
	var out []candidate
	for _, k := range loopcore.Kinds {
		best, rank, file, line := "", 1<<20, "", 0
		for _, d := range pkgs {
			s := r.set("node", d)
			if s == nil {
				continue
			}
			for _, t := range s.tasks {
				tk, tr := kindOfName(t.name)
				if tk == k && tr < rank && tr < rankSubset && dangerousName(t.name) == "" && !r.natureOfTask(t).mutates && r.natureOfTask(t).real && !r.natureOfTask(t).watches {
					best, rank, file, line = t.name, tr, t.file, t.line
				}
			}
		}
		if best == "" {
			continue
		}
		cmd := ""
		switch {
		case r.has(path.Join(dir, "nx.json")):
			cmd = m.exec("nx run-many -t " + best)
		case r.has(path.Join(dir, "lerna.json")):
			cmd = m.exec("lerna run " + best)
		case m.name == "pnpm":
			cmd = "pnpm -r --if-present " + best
			if best != "test" {
				cmd = "pnpm -r --if-present run " + best
			}
		case m.name == "yarn" && m.berry:
			cmd = "yarn workspaces foreach -A run " + best
		case m.name == "yarn":
			cmd = "yarn workspaces run " + best
		case m.name == "bun":
			cmd = "bun run --filter '*' " + best
		case best == "test":
			cmd = "npm test --workspaces --if-present"
		default:
			cmd = "npm run " + best + " --workspaces --if-present"
		}
		out = append(out, by(k, cmd, file, line, 0.7))
	}
	return out
}
