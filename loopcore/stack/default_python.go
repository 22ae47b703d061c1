package stack

import (
	"path"
	"strings"
)

// python is what the files of a Python project say about its tools.
type python struct {
	r       *repo
	dir     string
	project *node // pyproject.toml
	prefix  string
	deps    string // everything that names dependencies, lower case
}

func (r *repo) pythonOf(dir string) *python {
	p := &python{r: r, dir: dir}
	file := path.Join(dir, "pyproject.toml")
	var err error
	p.project, err = readTOML(r.read(file))
	if err != nil {
		r.warn(file + " is not valid TOML after line " + itoa(p.project.at()))
	}
	var b strings.Builder
	b.WriteString(r.text(file))
	for _, f := range []string{"setup.py", "setup.cfg", "requirements.txt", "requirements-dev.txt", "dev-requirements.txt", "requirements_dev.txt",
		"requirements-test.txt", "test-requirements.txt", "requirements/dev.txt", "requirements/test.txt", "requirements/tests.txt", "Pipfile",
		"tox.ini", "noxfile.py", "environment.yml"} {
		b.WriteString("\n" + r.text(path.Join(dir, f)))
	}
	p.deps = strings.ToLower(b.String())
	has := func(f string) bool { return r.has(path.Join(dir, f)) }
	switch {
	case has("uv.lock"):
		p.prefix = "uv run "
	case has("poetry.lock"):
		p.prefix = "poetry run "
	case has("pdm.lock"):
		p.prefix = "pdm run "
	case has("Pipfile.lock") || has("Pipfile"):
		p.prefix = "pipenv run "
	case p.project.get("tool", "rye") != nil && has("requirements.lock"):
		p.prefix = "rye run "
	case p.project.get("tool", "pixi") != nil || has("pixi.toml"):
		p.prefix = "pixi run "
	case p.project.get("tool", "poetry") != nil && strings.Contains(p.deps, "poetry.core.masonry"):
		p.prefix = "poetry run "
	}
	return p
}

func (p *python) has(f string) bool { return p.r.has(path.Join(p.dir, f)) }

// section says whether an INI file of the folder has the section.
func (p *python) section(file, section string) (string, int) {
	if line := lineOf("\n"+p.r.text(path.Join(p.dir, file)), "\n["+section); line > 0 {
		return path.Join(p.dir, file), line
	}
	return "", 0
}

func (p *python) tool(name string) (string, int) {
	if t := p.project.get("tool", name); t != nil {
		return path.Join(p.dir, "pyproject.toml"), t.at()
	}
	return "", 0
}

func itoa(n int) string {
	if n <= 0 {
		return "0"
	}
	s := ""
	for ; n > 0; n /= 10 {
		s = string(rune('0'+n%10)) + s
	}
	return s
}

// defaultPython: the runner and the checkers that are configured or depended on.
func defaultPython(r *repo, dir string) []candidate {
	p := r.pythonOf(dir)
	var out []candidate
	if c := p.test(); c.command != "" {
		out = append(out, c)
	}
	if c := p.lint(); c.command != "" {
		out = append(out, c)
	}
	if c := p.types(); c.command != "" {
		out = append(out, c)
	}
	return out
}

func (p *python) test() candidate {
	file, line := p.tool("pytest")
	for _, f := range []string{"pytest.ini", "conftest.py", "tests/conftest.py", "test/conftest.py"} {
		if file == "" && p.has(f) {
			file, line = path.Join(p.dir, f), 1
		}
	}
	for _, s := range []struct{ file, section string }{{"setup.cfg", "tool:pytest"}, {"tox.ini", "pytest"}} {
		if file == "" {
			file, line = p.section(s.file, s.section)
		}
	}
	if file != "" {
		return by(kTest, p.prefix+"pytest", file, line, confConfigured)
	}
	if p.has("manage.py") && !strings.Contains(p.deps, "pytest") {
		return by(kTest, p.prefix+"python manage.py test", path.Join(p.dir, "manage.py"), 1, confConfigured)
	}
	marker := p.r.first(p.dir, "pyproject.toml", "setup.py", "setup.cfg", "requirements.txt")
	if strings.Contains(p.deps, "pytest") {
		return by(kTest, p.prefix+"pytest", marker, 1, confConfigured)
	}
	switch style := p.testStyle(); style {
	case "pytest":
		return by(kTest, p.prefix+"pytest", marker, 1, confBare)
	case "unittest":
		return by(kTest, p.unittest(), marker, 1, confBare)
	}
	return candidate{}
}

// unittest is the command that finds the test classes: discovery enters only
// packages by itself, and looks for test*.py.
func (p *python) unittest() string {
	cmd := p.prefix + p.interpreter() + " -m unittest discover"
	for _, d := range []string{".", "tests", "test"} {
		if !p.hasTests(d) {
			continue
		}
		if d != "." && !p.has(d+"/__init__.py") {
			cmd += " -s " + d
		}
		if len(p.r.match(path.Join(p.dir, d), "test*.py")) == 0 {
			cmd += ` -p "*_test.py"`
		}
		break
	}
	return cmd
}

// interpreter is python3 where only that is on PATH.
func (p *python) interpreter() string {
	if p.prefix == "" && p.r.in.Look != nil && !p.r.in.Look("python") && p.r.in.Look("python3") {
		return "python3"
	}
	return "python"
}

func (p *python) hasTests(sub string) bool {
	dir := path.Join(p.dir, sub)
	return len(p.r.match(dir, "test_*.py")) > 0 || len(p.r.match(dir, "*_test.py")) > 0
}

// testStyle looks into the first test files: unittest classes only, or pytest.
func (p *python) testStyle() string {
	style := ""
	for _, sub := range []string{".", "tests", "test", "src"} {
		dir := path.Join(p.dir, sub)
		files := append(p.r.match(dir, "test_*.py"), p.r.match(dir, "*_test.py")...)
		for i, f := range files {
			if i > 5 {
				break
			}
			t := p.r.text(f)
			switch {
			case strings.Contains(t, "import pytest") || strings.Contains(t, "\ndef test_"):
				return "pytest"
			case strings.Contains(t, "unittest"):
				style = "unittest"
			case style == "":
				style = "pytest"
			}
		}
	}
	return style
}

func (p *python) lint() candidate {
	file, line := p.tool("ruff")
	for _, f := range []string{"ruff.toml", ".ruff.toml"} {
		if file == "" && p.has(f) {
			file, line = path.Join(p.dir, f), 1
		}
	}
	if file != "" {
		return by(kLint, p.prefix+"ruff check .", file, line, confConfigured)
	}
	if p.has(".flake8") {
		return by(kLint, p.prefix+"flake8", path.Join(p.dir, ".flake8"), 1, confConfigured)
	}
	for _, f := range []string{"setup.cfg", "tox.ini"} {
		if file, line := p.section(f, "flake8"); file != "" {
			return by(kLint, p.prefix+"flake8", file, line, confConfigured)
		}
	}
	if file, line := p.tool("black"); file != "" {
		c := by(kLint, p.prefix+"black --check .", file, line, confConfigured)
		c.format = true
		return c
	}
	if p.has(".pre-commit-config.yaml") {
		file := path.Join(p.dir, ".pre-commit-config.yaml")
		if strings.Contains(p.r.text(file), "\nci:") || p.r.ciMentions("pre-commit") || strings.HasPrefix(p.r.text(file), "ci:") {
			return by(kLint, p.prefix+"pre-commit run --all-files", file, 1, confConfigured)
		}
		c := by(kLint, p.prefix+"pre-commit run --all-files", file, 1, confBare)
		c.tier = tierSubset
		return c
	}
	return candidate{}
}

func (p *python) types() candidate {
	file, line := p.tool("mypy")
	if file == "" && p.has("mypy.ini") {
		file, line = path.Join(p.dir, "mypy.ini"), 1
	}
	if file == "" && p.has(".mypy.ini") {
		file, line = path.Join(p.dir, ".mypy.ini"), 1
	}
	if file == "" {
		if file, line = p.section("setup.cfg", "mypy]"); file == "" && p.has("setup.cfg") {
			file, line = p.section("setup.cfg", "mypy")
		}
	}
	if file != "" {
		cmd := "mypy ."
		t := p.project.get("tool", "mypy")
		if t.get("files") != nil || t.get("packages") != nil || t.get("modules") != nil || strings.Contains(p.r.text(file), "\nfiles") || strings.Contains(p.r.text(file), "\npackages") {
			cmd = "mypy"
		} else if p.r.hasDir(path.Join(p.dir, "src")) {
			cmd = "mypy src"
		}
		return by(kType, p.prefix+cmd, file, line, confConfigured)
	}
	for _, t := range []struct{ name, cmd string }{{"pyright", "pyright"}, {"basedpyright", "basedpyright"}, {"ty", "ty check"}, {"pyrefly", "pyrefly check"}} {
		if file, line := p.tool(t.name); file != "" {
			return by(kType, p.prefix+t.cmd, file, line, confConfigured)
		}
	}
	if p.has("pyrightconfig.json") {
		return by(kType, p.prefix+"pyright", path.Join(p.dir, "pyrightconfig.json"), 1, confConfigured)
	}
	return candidate{}
}
