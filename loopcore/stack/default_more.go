package stack

import (
	"path"
	"strings"

	"fixloop/loopcore"
)

// defaultRust: clippy is offered only where the repository configures it; a
// toolchain need not have it.
func defaultRust(r *repo, dir string) []candidate {
	file := path.Join(dir, "Cargo.toml")
	root, _ := readTOML(r.read(file))
	ws := ""
	if root.get("workspace") != nil && (root.get("package") == nil || len(root.get("workspace", "members").list()) > 0) {
		ws = " --workspace"
	}
	line := max(root.get("package").at(), root.get("workspace").at())
	out := []candidate{by(kTest, "cargo test"+ws, file, line, confConfigured), by(kBuild, "cargo build"+ws, file, line, confConfigured)}
	if r.has(path.Join(dir, ".config/nextest.toml")) && r.ciMentions("nextest") {
		out[0] = by(kTest, "cargo nextest run"+ws, path.Join(dir, ".config/nextest.toml"), 1, confConfigured)
	}
	cfg := r.first(dir, "clippy.toml", ".clippy.toml")
	if cfg == "" && (root.get("lints", "clippy") != nil || root.get("workspace", "lints", "clippy") != nil) {
		cfg = file
	}
	if cfg != "" {
		out = append(out, by(kLint, "cargo clippy"+ws+" --all-targets", cfg, 1, confConfigured))
	}
	if f := r.first(dir, "rustfmt.toml", ".rustfmt.toml"); f != "" && cfg == "" {
		c := by(kLint, "cargo fmt --all --check", f, 1, confBare)
		c.format = true
		out = append(out, c)
	}
	return out
}

// ciMentions says whether any CI command has the word.
func (r *repo) ciMentions(word string) bool {
	for _, c := range r.ci {
		if contains(c.words, word) {
			return true
		}
	}
	return false
}

func defaultMaven(r *repo, dir string) []candidate {
	file := path.Join(dir, "pom.xml")
	mvn := "mvn -B -ntp "
	if r.has(path.Join(dir, "mvnw")) {
		mvn = "./mvnw -B -ntp "
	}
	goal := "test"
	if strings.Contains(r.text(file), "maven-failsafe-plugin") || r.ciMentions("verify") {
		goal = "verify"
	}
	out := []candidate{by(kTest, mvn+goal, file, 1, confConfigured), by(kBuild, mvn+"compile", file, 1, confConfigured)}
	if strings.Contains(r.text(file), "spotless-maven-plugin") {
		out = append(out, by(kLint, mvn+"spotless:check", file, lineOf(r.text(file), "spotless-maven-plugin"), confConfigured))
	}
	return out
}

func defaultGradle(r *repo, dir string) []candidate {
	file := r.first(dir, "build.gradle.kts", "build.gradle", "settings.gradle.kts", "settings.gradle")
	gradle := "gradle "
	if r.has(path.Join(dir, "gradlew")) {
		gradle = "./gradlew "
	}
	text := r.text(file)
	task := "test"
	switch {
	case strings.Contains(text, "multiplatform"):
		task = "allTests"
	case androidPlugin.MatchString(text) && !strings.Contains(text, "apply false"):
		task = "testDebugUnitTest"
	}
	out := []candidate{by(kTest, gradle+task, file, 1, confConfigured), by(kBuild, gradle+"assemble", file, 1, confConfigured)}
	for _, p := range []struct{ plugin, task string }{{"spotless", "spotlessCheck"}, {"ktlint", "ktlintCheck"}, {"detekt", "detekt"}, {"checkstyle", "checkstyleMain"}} {
		if i := lineOf(text, p.plugin); i > 0 {
			out = append(out, by(kLint, gradle+p.task, file, i, confConfigured))
			break
		}
	}
	return out
}

var androidPlugin = loopcore.Lazily(`com\.android\.(application|library)`)

func defaultMix(r *repo, dir string) []candidate {
	file := path.Join(dir, "mix.exs")
	text := r.text(file)
	out := []candidate{by(kTest, "mix test", file, 1, confConfigured), by(kBuild, "mix compile --warnings-as-errors", file, 1, confConfigured)}
	switch {
	case strings.Contains(text, ":credo"):
		out = append(out, by(kLint, "mix credo", file, lineOf(text, ":credo"), confConfigured))
	case r.has(path.Join(dir, ".formatter.exs")):
		out = append(out, by(kLint, "mix format --check-formatted", path.Join(dir, ".formatter.exs"), 1, confConfigured))
	}
	if strings.Contains(text, ":dialyxir") {
		out = append(out, by(kType, "mix dialyzer", file, lineOf(text, ":dialyxir"), confConfigured))
	}
	return out
}

func defaultDotnet(r *repo, dir string) []candidate {
	file, arg := "", ""
	for _, pat := range []string{"*.sln", "*.slnx", "*.csproj", "*.fsproj"} {
		if m := r.match(dir, pat); len(m) > 0 {
			if file = m[0]; len(m) > 1 {
				arg = " " + path.Base(m[0]) // several solutions: dotnet wants to be told
			}
			break
		}
	}
	return []candidate{by(kTest, "dotnet test"+arg, file, 1, confConfigured), by(kBuild, "dotnet build"+arg, file, 1, confConfigured)}
}

func defaultSwift(r *repo, dir string) []candidate {
	file := path.Join(dir, "Package.swift")
	out := []candidate{by(kBuild, "swift build", file, 1, confConfigured)}
	if r.hasDir(path.Join(dir, "Tests")) || strings.Contains(r.text(file), ".testTarget") {
		out = append(out, by(kTest, "swift test", file, 1, confConfigured))
	}
	if f := r.first(dir, ".swiftlint.yml"); f != "" {
		out = append(out, by(kLint, "swiftlint", f, 1, confConfigured))
	} else if f := r.first(dir, ".swift-format"); f != "" {
		out = append(out, by(kLint, "swift format lint --recursive --strict .", f, 1, confConfigured))
	}
	return out
}

func defaultDart(r *repo, dir string) []candidate {
	file := path.Join(dir, "pubspec.yaml")
	root, _ := readYAML(r.read(file))
	tool := "dart"
	if root.get("dependencies", "flutter") != nil {
		tool = "flutter"
	}
	if root.get("melos") != nil || r.has(path.Join(dir, "melos.yaml")) {
		return []candidate{by(kTest, "melos run test", file, 1, confConfigured), by(kLint, "melos run analyze", file, 1, confBare)}
	}
	out := []candidate{by(kLint, tool+" analyze", file, 1, confConfigured)}
	if r.hasDir(path.Join(dir, "test")) {
		out = append(out, by(kTest, tool+" test", file, 1, confConfigured))
	}
	return out
}

func defaultPHP(r *repo, dir string) []candidate {
	file := r.first(dir, "composer.json", "phpunit.xml", "phpunit.xml.dist")
	text := r.text(path.Join(dir, "composer.json"))
	var out []candidate
	unit := r.first(dir, "phpunit.xml", "phpunit.xml.dist", "phpunit.dist.xml")
	switch {
	case r.has(path.Join(dir, "tests/Pest.php")):
		out = append(out, by(kTest, "vendor/bin/pest", path.Join(dir, "tests/Pest.php"), 1, confConfigured))
	case r.has(path.Join(dir, "artisan")):
		out = append(out, by(kTest, "php artisan test", path.Join(dir, "artisan"), 1, confConfigured))
	case strings.Contains(text, "symfony/phpunit-bridge") && r.has(path.Join(dir, "bin/phpunit")):
		out = append(out, by(kTest, "bin/phpunit", path.Join(dir, "bin/phpunit"), 1, confConfigured))
	case unit != "" || strings.Contains(text, "phpunit/phpunit"):
		out = append(out, by(kTest, "vendor/bin/phpunit", first(unit, file), 1, confConfigured))
	}
	for _, l := range []struct{ cmd, conf string }{
		{"vendor/bin/php-cs-fixer fix --dry-run --diff", ".php-cs-fixer.php .php-cs-fixer.dist.php .php_cs .php_cs.dist"},
		{"vendor/bin/pint --test", "pint.json"},
		{"vendor/bin/phpcs", "phpcs.xml phpcs.xml.dist .phpcs.xml .phpcs.xml.dist"},
		{"vendor/bin/ecs check", "ecs.php"},
	} {
		if f := r.first(dir, strings.Fields(l.conf)...); f != "" {
			out = append(out, by(kLint, l.cmd, f, 1, confConfigured))
		}
	}
	for _, l := range []struct{ cmd, conf string }{
		{"vendor/bin/phpstan analyse", "phpstan.neon phpstan.neon.dist phpstan.dist.neon"},
		{"vendor/bin/psalm", "psalm.xml psalm.xml.dist"},
	} {
		if f := r.first(dir, strings.Fields(l.conf)...); f != "" {
			out = append(out, by(kType, l.cmd, f, 1, confConfigured))
		}
	}
	return out
}

func defaultRuby(r *repo, dir string) []candidate {
	text := r.text(path.Join(dir, "Gemfile")) + r.text(path.Join(dir, "Gemfile.lock"))
	marker := r.first(dir, "Gemfile", "Rakefile")
	run := func(bin, cmd string) string {
		if r.has(path.Join(dir, "bin", bin)) {
			return "bin/" + cmd
		}
		if r.has(path.Join(dir, "Gemfile")) {
			return "bundle exec " + cmd
		}
		return cmd
	}
	var out []candidate
	switch {
	case r.has(path.Join(dir, ".rspec")) || r.hasDir(path.Join(dir, "spec")):
		out = append(out, by(kTest, run("rspec", "rspec"), first(r.first(dir, ".rspec"), marker), 1, confConfigured))
	case r.hasDir(path.Join(dir, "test")) && r.has(path.Join(dir, "bin/rails")):
		out = append(out, by(kTest, "bin/rails test", path.Join(dir, "bin/rails"), 1, confConfigured))
	case r.has(path.Join(dir, "bin/test")):
		out = append(out, by(kTest, "bin/test", path.Join(dir, "bin/test"), 1, confConfigured))
	case r.hasDir(path.Join(dir, "test")) && r.has(path.Join(dir, "Rakefile")):
		out = append(out, by(kTest, run("rake", "rake test"), path.Join(dir, "Rakefile"), 1, confBare))
	}
	switch {
	case r.first(dir, ".rubocop.yml") != "" && !strings.Contains(r.text(path.Join(dir, ".rubocop.yml")), "standard:") ||
		strings.Contains(text, "rubocop") && r.first(dir, ".rubocop.yml") != "":
		out = append(out, by(kLint, run("rubocop", "rubocop"), r.first(dir, ".rubocop.yml"), 1, confConfigured))
	case r.has(path.Join(dir, ".standard.yml")) || strings.Contains(r.text(path.Join(dir, "Gemfile")), "standard"):
		out = append(out, by(kLint, run("standardrb", "standardrb"), first(r.first(dir, ".standard.yml"), marker), 1, confConfigured))
	}
	if r.has(path.Join(dir, "sorbet/config")) {
		out = append(out, by(kType, run("srb", "srb tc"), path.Join(dir, "sorbet/config"), 1, confConfigured))
	} else if r.has(path.Join(dir, "Steepfile")) {
		out = append(out, by(kType, run("steep", "steep check"), path.Join(dir, "Steepfile"), 1, confConfigured))
	}
	return out
}

func defaultDeno(r *repo, dir string) []candidate {
	file := r.first(dir, "deno.json", "deno.jsonc")
	out := []candidate{by(kLint, "deno lint", file, 1, confConfigured)}
	if r.hasJSTests(dir) || len(r.match(dir, "*_test.ts")) > 0 || len(r.match(path.Join(dir, "tests"), "*_test.ts")) > 0 {
		out = append(out, by(kTest, "deno test -A", file, 1, confConfigured))
	}
	for _, e := range []string{"mod.ts", "main.ts", "src/mod.ts", "src/main.ts"} {
		if r.has(path.Join(dir, e)) {
			return append(out, by(kType, "deno check "+e, path.Join(dir, e), 1, confBare))
		}
	}
	return out
}

// defaultCMake: presets first; the test step needs the build step before it.
func defaultCMake(r *repo, dir string) []candidate {
	file := path.Join(dir, "CMakeLists.txt")
	if p := path.Join(dir, "CMakePresets.json"); r.has(p) {
		root, _ := readJSON(r.read(p))
		name := func(kind string) string {
			for _, it := range root.get(kind).list() {
				if it.get("hidden").str() != "true" {
					return it.get("name").str()
				}
			}
			return ""
		}
		if c, b, t := name("configurePresets"), name("buildPresets"), name("testPresets"); c != "" && b != "" {
			out := []candidate{by(kBuild, "cmake --preset "+c+" && cmake --build --preset "+b, p, 1, confConfigured)}
			if t != "" {
				out = append(out, by(kTest, "ctest --preset "+t, p, 1, confConfigured))
			}
			return out
		}
	}
	out := []candidate{by(kBuild, "cmake -B build && cmake --build build", file, 1, confBare)}
	if text := r.text(file); strings.Contains(text, "enable_testing") || strings.Contains(text, "include(CTest)") || strings.Contains(text, "add_test(") || r.hasDir(path.Join(dir, "test")) || r.hasDir(path.Join(dir, "tests")) {
		out = append(out, by(kTest, "ctest --test-dir build --output-on-failure", file, 1, confBare))
	}
	return out
}

func defaultMeson(_ *repo, dir string) []candidate {
	file := path.Join(dir, "meson.build")
	return []candidate{by(kBuild, "meson setup build && meson compile -C build", file, 1, confBare), by(kTest, "meson test -C build", file, 1, confBare)}
}

func defaultAutotools(r *repo, dir string) []candidate {
	file := r.first(dir, "configure.ac", "configure.in")
	pre := "autoreconf -i && "
	switch {
	case r.has(path.Join(dir, "configure")):
		pre = ""
	case r.has(path.Join(dir, "autogen.sh")):
		pre = "./autogen.sh && "
	case r.has(path.Join(dir, "bootstrap")):
		pre = "./bootstrap && "
	}
	return []candidate{by(kBuild, pre+"./configure && make", file, 1, confBare), by(kTest, "make check", file, 1, confBare)}
}

func defaultBazel(r *repo, dir string) []candidate {
	file := r.first(dir, "MODULE.bazel", "WORKSPACE", "WORKSPACE.bazel")
	tool := "bazel"
	if r.has(path.Join(dir, ".bazelversion")) {
		tool = "bazelisk"
	}
	return []candidate{by(kTest, tool+" test //...", file, 1, confBare), by(kBuild, tool+" build //...", file, 1, confBare)}
}

// smallStacks are told by one marker and need one line each.
var smallStacks = []struct{ marker, test, build string }{
	{"rebar.config", "rebar3 eunit", "rebar3 compile"},
	{"gleam.toml", "gleam test", "gleam build"},
	{"stack.yaml", "stack test", "stack build"},
	{"*.cabal", "cabal test all", "cabal build all"},
	{"build.sbt", "sbt test", "sbt compile"},
	{"project.clj", "lein test", ""},
	{"build.zig", "zig build test", "zig build"},
	{"dune-project", "dune runtest", "dune build"},
	{"shard.yml", "crystal spec", ""},
	{"foundry.toml", "forge test", "forge build"},
}

func defaultMore(r *repo, dir string) []candidate {
	for _, s := range smallStacks {
		m := r.match(dir, s.marker)
		if len(m) == 0 {
			continue
		}
		out := []candidate{by(kTest, s.test, m[0], 1, confBare)}
		if s.build != "" {
			out = append(out, by(kBuild, s.build, m[0], 1, confBare))
		}
		return out
	}
	if f := path.Join(dir, "Project.toml"); r.has(f) && juliaName.MatchString(r.text(f)) && r.has(path.Join(dir, "test/runtests.jl")) {
		return []candidate{by(kTest, `julia --project -e 'using Pkg; Pkg.test()'`, f, 1, confBare)}
	}
	return nil
}

var juliaName = loopcore.Lazily(`(?m)^uuid\s*=`)
