package stack

import (
	"path"
	"strings"

	"fixloop/loopcore"
)

// readComposer reads the scripts of composer.json.
func readComposer(r *repo, dir string) ([]*task, string) {
	file := path.Join(dir, "composer.json")
	if !r.has(file) {
		return nil, ""
	}
	root, ok := readJSON(r.read(file))
	if !ok {
		r.warn(file + " is not valid JSON")
	}
	scripts := root.get("scripts")
	var out []*task
	scripts.each(func(name string, line int, v *node) {
		t := &task{name: name, call: "composer " + name, file: file, line: line}
		if composerVerbs[name] {
			t.call = "composer run " + name
		}
		if strings.HasPrefix(name, "pre-") || strings.HasPrefix(name, "post-") {
			t.hidden = true
		}
		for _, s := range v.strs() {
			switch {
			case strings.HasPrefix(s, "@php "):
				t.body += strings.TrimPrefix(s, "@") + "\n"
			case strings.HasPrefix(s, "@composer "):
				t.body += strings.TrimPrefix(s, "@") + "\n"
			case strings.HasPrefix(s, "@putenv "):
			case strings.HasPrefix(s, "@"):
				name, _, _ := strings.Cut(s[1:], " ")
				t.deps = append(t.deps, name)
			case strings.Contains(s, "::") && !strings.Contains(s, " "): // a PHP callback
			default:
				t.body += s + "\n"
			}
		}
		out = append(out, t)
	})
	return out, ""
}

// composerVerbs are scripts whose bare name is a command of composer itself.
var composerVerbs = map[string]bool{"check": false, "validate": true, "audit": true, "install": true, "update": true, "status": true,
	"show": true, "fund": true, "bump": true, "depends": true, "diagnose": true, "exec": true}

var rakeTask = loopcore.Lazily(`^\s*(?:multi)?task\s*\(?\s*:?["']?([A-Za-z0-9_]+(?::[A-Za-z0-9_]+)*)["']?:?\s*(?:,[^=]*)?(?:=>|:)?\s*(.*)$`)
var rakeTestTask = loopcore.Lazily(`(?:Rake::TestTask|Minitest::TestTask)\.(?:new|create)(?:\s*\(?\s*:?["']?([A-Za-z0-9_]+)["']?)?`)
var rakeSpecTask = loopcore.Lazily(`RSpec::Core::RakeTask\.new(?:\s*\(?\s*:?["']?([A-Za-z0-9_]+)["']?)?`)
var rakeCopTask = loopcore.Lazily(`RuboCop::RakeTask\.new(?:\s*\(?\s*:?["']?([A-Za-z0-9_]+)["']?)?`)
var rakeShell = loopcore.Lazily(`^\s*(?:sh|system)\s*\(?\s*["']([^"']+)["']`)
var rakeNamespace = loopcore.Lazily(`^\s*namespace[\s(]+:?["']?([A-Za-z0-9_]+)`)
var rakeWord = loopcore.Lazily(`["':]?([a-z][A-Za-z0-9_:]*)`)

// readRake reads the tasks of a Rakefile that are written plainly.
func readRake(r *repo, dir string) ([]*task, string) {
	file := r.first(dir, "Rakefile", "rakefile", "Rakefile.rb")
	if file == "" {
		return nil, ""
	}
	call := "rake "
	switch {
	case r.has(path.Join(dir, "bin/rake")):
		call = "bin/rake "
	case r.has(path.Join(dir, "Gemfile")):
		call = "bundle exec rake "
	}
	k := &rakeFile{r: r, call: call, seen: map[string]bool{}}
	k.parse(file, 0)
	for _, g := range r.match(path.Join(dir, "rakelib"), "*.rake") {
		k.parse(g, 1)
	}
	return k.tasks, "default"
}

type rakeFile struct {
	r     *repo
	call  string
	tasks []*task
	seen  map[string]bool
}

func (k *rakeFile) parse(file string, depth int) {
	if k.seen[file] || depth > 3 {
		return
	}
	k.seen[file] = true
	var cur *task
	ns, nsIndent := "", 0
	for i, l := range strings.Split(k.r.text(file), "\n") {
		if strings.HasPrefix(strings.TrimSpace(l), "#") {
			continue
		}
		indent := len(l) - len(strings.TrimLeft(l, " "))
		if ns != "" && strings.TrimSpace(l) == "end" && indent <= nsIndent {
			ns = ""
		}
		if m := rakeNamespace.FindStringSubmatch(l); m != nil {
			ns, nsIndent = m[1]+":", indent
			continue
		}
		add := func(name, body string) {
			cur = &task{name: ns + name, call: k.call + ns + name, file: file, line: i + 1, body: body}
			k.tasks = append(k.tasks, cur)
		}
		if m := rakeTestTask.FindStringSubmatch(l); m != nil {
			add(first(m[1], "test"), "minitest")
			continue
		}
		if m := rakeSpecTask.FindStringSubmatch(l); m != nil {
			add(first(m[1], "spec"), "rspec")
			continue
		}
		if m := rakeCopTask.FindStringSubmatch(l); m != nil {
			add(first(m[1], "rubocop"), "rubocop")
			continue
		}
		if strings.Contains(l, "load_tasks") {
			add("test", "rails test")
			continue
		}
		if m := rakeTask.FindStringSubmatch(l); m != nil && strings.HasPrefix(strings.TrimSpace(l), "task") {
			add(m[1], "")
			rest, _, _ := strings.Cut(m[2], " do")
			for _, w := range rakeWord.FindAllStringSubmatch(strings.NewReplacer("%i[", " ", "%w[", " ", "[", " ", "]", " ", ",", " ").Replace(rest), -1) {
				cur.deps = append(cur.deps, w[1])
			}
			continue
		}
		if m := rakeShell.FindStringSubmatch(l); m != nil && cur != nil {
			cur.body += "\n" + m[1]
		}
	}
}

// readCargo reads the aliases of .cargo/config.toml.
func readCargo(r *repo, dir string) ([]*task, string) {
	file := r.first(dir, ".cargo/config.toml", ".cargo/config")
	if file == "" {
		return nil, ""
	}
	root, _ := readTOML(r.read(file))
	var out []*task
	root.get("alias").each(func(name string, line int, v *node) {
		t := &task{name: name, call: "cargo " + name, file: file, line: line, body: "cargo " + strings.Join(v.strs(), " ")}
		if strings.HasPrefix(strings.Join(v.strs(), " "), "run ") {
			t.hidden = true // xtask-like: it wants a verb
		}
		out = append(out, t)
	})
	return out, ""
}

var mixAliasKey = loopcore.Lazily(`(?m)^\s*(?:"([A-Za-z0-9_.]+)"|([a-z][a-z0-9_.]*)):\s*(\[[^\]]*\]|"[^"]*")`)
var exString = loopcore.Lazily(`"([^"]*)"`)

// readMix reads the aliases of mix.exs.
func readMix(r *repo, dir string) ([]*task, string) {
	file := path.Join(dir, "mix.exs")
	text := r.text(file)
	start := strings.Index(text, "aliases do")
	if start < 0 {
		start = strings.Index(text, "aliases() do")
	}
	if start < 0 {
		return nil, ""
	}
	end := strings.Index(text[start:], "\n  end")
	if end < 0 {
		end = len(text) - start
	}
	block := text[start : start+end]
	line0 := strings.Count(text[:start], "\n")
	var out []*task
	for _, m := range mixAliasKey.FindAllStringSubmatchIndex(block, -1) {
		get := func(i int) string {
			if m[2*i] < 0 {
				return ""
			}
			return block[m[2*i]:m[2*i+1]]
		}
		name := first(get(1), get(2))
		keyAt := m[4]
		if m[2] >= 0 {
			keyAt = m[2]
		}
		t := &task{name: name, call: "mix " + name, file: file, line: line0 + strings.Count(block[:keyAt], "\n") + 1}
		for _, s := range exString.FindAllStringSubmatch(get(3), -1) {
			if cmd, ok := strings.CutPrefix(s[1], "cmd "); ok {
				t.body += cmd + "\n"
			} else {
				t.body += "mix " + s[1] + "\n"
			}
		}
		out = append(out, t)
	}
	return out, ""
}

// scriptFolders hold programs that are the project's own commands.
var scriptFolders = []string{"script", "scripts", "bin", "ci", "hack", "tools", "."}

// scriptNames are the programs in them that may be a step, told by the name.
var scriptNames = map[string]bool{"test": true, "tests": true, "check": true, "lint": true, "typecheck": true, "cibuild": true,
	"build": true, "ci": true, "run-tests": true, "run_tests": true, "runtests": true, "test-unit": true, "types": true, "run-test": true,
	"run_test": true}

// readScripts reads the script folders of a repository ("scripts to rule them all").
func readScripts(r *repo, dir string) ([]*task, string) {
	var out []*task
	for _, d := range scriptFolders {
		for _, e := range r.list(path.Join(dir, d)) {
			name := strings.TrimSuffix(strings.TrimSuffix(e.Name(), ".sh"), ".bash")
			if !scriptNames[name] || e.IsDir() {
				continue
			}
			file := path.Join(dir, d, e.Name())
			text := r.text(file)
			if !strings.HasPrefix(text, "#!") {
				continue
			}
			call := path.Join(d, e.Name())
			if d == "." {
				call = "./" + e.Name()
			}
			t := &task{name: name, call: call, file: file, line: 1}
			if isShell(text) {
				t.body = text
			} else {
				t.body = "unknown-program"
			}
			out = append(out, t)
		}
	}
	return out, ""
}
