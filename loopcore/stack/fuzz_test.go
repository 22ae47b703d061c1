package stack

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/rogpeppe/go-internal/txtar"
)

// FuzzDetect puts arbitrary bytes into one file that detection reads: nothing
// panics or hangs, every kind is answered, no chosen command publishes or hides
// its exit code, and a second look gives the same.
func FuzzDetect(f *testing.F) {
	names := []string{"Makefile", "package.json", "CLAUDE.md", ".github/workflows/ci.yml", "pyproject.toml", "tox.ini", "justfile",
		"Taskfile.yml", "noxfile.py", "composer.json", "Rakefile", "mix.exs", ".gitlab-ci.yml", ".circleci/config.yml", "azure-pipelines.yml",
		"Jenkinsfile", ".travis.yml", ".claude/profile.yaml", "mise.toml", "turbo.json", "go.work", ".cargo/config.toml", "scripts/test",
		"CMakePresets.json", "tasks.py", "hatch.toml", "deno.jsonc", "pixi.toml", "Pipfile", "appveyor.yml"}
	files, _ := filepath.Glob(fixtures + "/*.txtar")
	for _, file := range files {
		a, err := txtar.ParseFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for _, x := range a.Files {
			for i, n := range names {
				if n == x.Name {
					f.Add(uint8(i), x.Data)
				}
			}
		}
	}
	f.Fuzz(func(t *testing.T, which uint8, data []byte) {
		if len(data) > 1<<14 {
			return
		}
		fsys := fstest.MapFS{
			names[int(which)%len(names)]: {Data: data, Mode: 0o644},
			"tests/test_a.py":            {Data: []byte("def test_a(): pass\n")},
		}
		start := time.Now()
		g := Detect(Input{FS: fsys})
		if took := time.Since(start); took > 20*time.Second {
			t.Errorf("it took %v", took)
		}
		checkComplete(t, g)
		if a, b := show(g), show(Detect(Input{FS: fsys})); a != b {
			t.Errorf("two detections differ:\n%s\n%s", a, b)
		}
	})
}

// FuzzShell: any text is taken apart without a panic, and no command is empty.
func FuzzShell(f *testing.F) {
	for _, s := range []string{"a && b || true", "cd x; (y; z) | tee log", "for i in 1 2; do make $i; done", "if x; then y; fi",
		"A=1 B=$C d \"$E\" ${F:-g} `h`", "x <<EOF\ny\nEOF", "${{ matrix.x }} && y", "set +e\nfoo\nexit 0", "a \\\n b"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if len(s) > 1<<13 {
			return
		}
		for _, c := range splitShell(s, map[string]string{"X": "a b"}) {
			if len(c.words) == 0 {
				t.Errorf("an empty command in %q", s)
			}
			classify(c.words)
			unwrapPlain(c.words)
			workspaceNames(c.words)
		}
	})
}

// TestSplitShell holds what is taken for masked, guarded and expanded.
func TestSplitShell(t *testing.T) {
	cases := []struct{ in, want string }{
		{"go test ./... || true", "go test ./... [masked]"},
		{"pytest; exit 0", "pytest [masked]"},
		{"pytest | tee log.txt", "pytest [masked]"},
		{"set +e\nmake test\nset -e\nmake lint", "make test [masked]; make lint"},
		{"if [ -f x ]; then make test; fi", "[ -f x ] [guarded]; make test [guarded]"},
		{"cd sub && npm test", "npm test (sub)"},
		{"(cd a; x)\ny", "x (a); y"},
		{"cd /tmp && x", "x (__EXPR__)"},
		{"export V=-race\ngo test $V ./...", "go test -race ./..."},
		{"go test \\\n  ./...", "go test ./..."},
		{"bash -c 'x'", "bash -c 'x'"},
		{"git ls-files | xargs shellcheck", "git ls-files; git ls-files | xargs shellcheck"},
		{"make || make retry", "make; make retry [fallback]"},
	}
	for _, c := range cases {
		var got []string
		for _, x := range splitShell(c.in, nil) {
			s := x.text
			if x.dir != "." {
				s += " (" + x.dir + ")"
			}
			for _, m := range []struct {
				is   bool
				word string
			}{{x.masked, "masked"}, {x.guarded, "guarded"}, {x.fallback, "fallback"}} {
				if m.is {
					s += " [" + m.word + "]"
				}
			}
			got = append(got, s)
		}
		if s := strings.Join(got, "; "); s != c.want {
			t.Errorf("%q\n got %s\nwant %s", c.in, s, c.want)
		}
	}
}

// TestClassify holds the verdicts that decide: what rewrites, watches, publishes.
func TestClassify(t *testing.T) {
	cases := []struct{ in, want string }{
		{"npx --yes eslint .", "lint"},
		{"eslint --fix .", "lint mutates"},
		{"prettier --write .", "lint mutates"},
		{"prettier --check .", "lint"},
		{"black .", "lint mutates"},
		{"uv run --group dev python -m pytest -q", "test"},
		{"pytest -k one", "test partial"},
		{"go test ./...", "test"},
		{"go test -run TestOne ./...", "test partial"},
		{"cargo fmt --all -- --check", "lint"},
		{"cargo fmt", "lint mutates"},
		{"cargo watch -x test", "watches"},
		{"vitest", "test watches"},
		{"vitest run", "test"},
		{"vitest --watch --run", "test"},
		{"jest --watch", "test watches"},
		{"jest --watch --watchAll=false", "test watches"},
		{"tsc -w", "typecheck watches"},
		{"mvn -B -DskipTests package", "build"},
		{"./gradlew build -x test", "build"},
		{"./gradlew publish", "danger"},
		{"npm publish", "danger"},
		{"git clean -fdx", "danger"},
		{"git push --tags", "danger"},
		{"rm -rf /", "danger"},
		{"rm -rf dist", ""},
		{"sudo make test", "danger"},
		{"sudo apt-get install x", ""},
		{"kubectl apply -f x", "danger"},
		{"manage.py migrate", ""},
		{"python manage.py test", "test"},
		{"python manage.py flush", "danger"},
		{"bin/rails db:test:prepare test", "test"},
		{"bin/rails db:reset", "danger"},
		{"php artisan test", "test"},
		{"vendor/bin/php-cs-fixer fix", "lint mutates"},
		{"vendor/bin/php-cs-fixer fix --dry-run", "lint"},
		{"dotnet format --verify-no-changes", "lint"},
		{"dotnet nuget push x", "danger"},
		{"mix ecto.drop", "danger"},
		{"mix format", "lint mutates"},
		{"terraform apply", "danger"},
		{"cmake --build build", "build"},
		{"cmake -B build", ""},
		{"cross-env CI=1 react-scripts test", "test"},
	}
	for _, c := range cases {
		v := classify(strings.Fields(c.in))
		var got []string
		if v.kind != "" {
			got = append(got, string(v.kind))
		}
		for _, m := range []struct {
			is   bool
			word string
		}{{v.mutates, "mutates"}, {v.watches, "watches"}, {v.partial && !v.format, "partial"}, {v.danger != "", "danger"}} {
			if m.is {
				got = append(got, m.word)
			}
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%s: got %q, want %q", c.in, s, c.want)
		}
	}
}

// BenchmarkDetect looks at a monorepo of 100,000 files on disk: a workspace of
// 400 packages, one folder of 20,000 files, CI, a Makefile. No caches are warm
// but the system's.
func BenchmarkDetect(b *testing.B) {
	top := b.TempDir()
	write := func(name, text string) {
		p := filepath.Join(top, name)
		if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
			if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
				b.Fatal(err)
			}
			if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
				b.Fatal(err)
			}
		}
	}
	write("package.json", `{"private":true,"workspaces":["packages/*"],"scripts":{"lint":"turbo run lint"}}`)
	write("go.mod", "module example.test/wide\n")
	write("Makefile", "test:\n\tgo test ./...\n")
	write(".github/workflows/ci.yml", "on: [push]\njobs:\n  t:\n    steps:\n      - run: make test\n      - run: npx turbo run lint test\n")
	for p := range 400 {
		dir := fmt.Sprintf("packages/p%d/", p)
		write(dir+"package.json", `{"scripts":{"test":"vitest run","lint":"eslint ."}}`)
		for f := range 199 {
			write(fmt.Sprintf("%ssrc/f%d.ts", dir, f), "")
		}
	}
	for f := range 20000 {
		write(fmt.Sprintf("assets/a%d", f), "")
	}
	b.ResetTimer()
	for b.Loop() {
		if g := Detect(Input{FS: os.DirFS(top)}); len(g.Steps) == 0 {
			b.Fatal("no steps")
		}
	}
}
