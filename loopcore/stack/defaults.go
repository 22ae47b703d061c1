package stack

import (
	"fixloop/loopcore"
)

// Stacks in order: the main language of a mixed repository comes first.
var Stacks = []Stack{
	{"go", []string{"go.mod", "go.work"}, defaultGo},
	{"python", []string{"pyproject.toml", "setup.py", "setup.cfg", "requirements.txt", "Pipfile", "pytest.ini", "manage.py"}, defaultPython},
	{"rust", []string{"Cargo.toml"}, defaultRust},
	{"maven", []string{"pom.xml"}, defaultMaven},
	{"gradle", []string{"build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts"}, defaultGradle},
	{"elixir", []string{"mix.exs"}, defaultMix},
	{"dotnet", []string{"*.sln", "*.slnx", "*.csproj", "*.fsproj"}, defaultDotnet},
	{"swift", []string{"Package.swift"}, defaultSwift},
	{"dart", []string{"pubspec.yaml"}, defaultDart},
	{"php", []string{"composer.json", "phpunit.xml", "phpunit.xml.dist"}, defaultPHP},
	{"ruby", []string{"Gemfile", "*.gemspec", "Rakefile"}, defaultRuby},
	{"node", []string{"package.json"}, defaultNode},
	{"deno", []string{"deno.json", "deno.jsonc"}, defaultDeno},
	{"cmake", []string{"CMakeLists.txt"}, defaultCMake},
	{"meson", []string{"meson.build"}, defaultMeson},
	{"autotools", []string{"configure.ac", "configure.in"}, defaultAutotools},
	{"bazel", []string{"MODULE.bazel", "WORKSPACE", "WORKSPACE.bazel"}, defaultBazel},
	{"more",
		[]string{"rebar.config", "gleam.toml", "stack.yaml", "*.cabal", "build.sbt", "project.clj", "build.zig", "dune-project", "shard.yml",
			"foundry.toml", "Project.toml"},
		defaultMore},
}

const (
	confConfigured = 0.6 // the tool's configuration is here
	confBare       = 0.5 // only the stack is
)

// fromDefaults offers what a stack's users would type when nothing is declared.
func fromDefaults(r *repo) []candidate {
	var out []candidate
	for _, area := range r.areas {
		for i, s := range Stacks {
			if !r.hasMarker(s, area) {
				continue
			}
			for j, c := range s.Default(r, area) {
				if c.dir == "" {
					c.dir = area
				}
				c.rank += i*100 + j
				if c.conf == 0 {
					c.conf = confBare
				}
				if c.src.Kind == "" {
					c.src = loopcore.Source{Kind: "default", File: c.src.File, Line: c.src.Line}
				}
				c.tier = max(c.tier, tierWeak)
				if main := r.mainStack(); area == r.base && main != "" && s.Name != main {
					c.tier = max(c.tier, tierForeign)
				}
				c.nat = r.natureOf(c.command, c.dir, nil)
				out = append(out, c)
			}
		}
	}
	return append(out, r.fromTestFiles()...)
}

func (r *repo) hasMarker(s Stack, dir string) bool {
	for _, f := range s.Markers {
		if r.present(dir, f) {
			return true
		}
	}
	return false
}

// by makes a default candidate whose evidence is a file.
func by(kind loopcore.Kind, command, file string, line int, conf float64) candidate {
	return candidate{kind: kind, command: command, conf: conf, src: loopcore.Source{Kind: "default", File: file, Line: line}}
}

// testFolders are where tests live when nothing says how to run them.
var testFolders = []string{"test", "tests", "spec", "specs", "__tests__", "t"}

// looksTested says whether the base has a folder of tests.
func (r *repo) looksTested() bool {
	for _, d := range testFolders {
		if len(r.list(joinDir(r.base, d))) > 0 {
			return true
		}
	}
	return false
}
