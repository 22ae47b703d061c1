package engine

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"fixloop/loopcore"
	"fixloop/server/internal/gitrepo"
)

// tools are programs that gates run, by name or through one another.
var tools = strings.Fields("sh bash env make go gofmt node npm npx pnpm yarn python python3 pytest tox cargo rustc ruby bundle rspec rake java javac mvn gradle cc gcc c++ g++ clang clang++ ld cmake ninja ctest php composer phpunit dotnet mix elixir swift jest vitest mocha eslint tsc ruff mypy golangci-lint shellcheck bats")

// homeSettings are files of the user's that those programs read unasked,
// relative to the home folder.
var homeSettings = strings.Fields(".npmrc .yarnrc .yarnrc.yml .cargo/config.toml .cargo/config .config/go/env .rspec .config/rspec/options .bazelrc .mavenrc .m2/settings.xml .m2/settings-security.xml .gradle/gradle.properties .gradle/init.gradle .gradle/init.gradle.kts .gradle/init.d/* .bundle/config .config/pytest.ini .bunfig.toml .config/ruff/ruff.toml .config/ruff/pyproject.toml .mypy.ini .config/mypy/config .eslintrc .eslintrc.json .rubocop.yml .nuget/NuGet/NuGet.Config .local/lib/python3*/site-packages/*.pth .local/lib/python3*/site-packages/*customize.py .pyenv/versions/*/lib/python3*/site-packages/*.pth .pyenv/versions/*/lib/python3*/site-packages/*customize.py")

// systemSettings are of the same kind, for all users.
var systemSettings = strings.Fields("/etc/npmrc /usr/local/etc/npmrc /usr/lib/python3/dist-packages/*customize.py /usr/local/lib/python3*/dist-packages/*.pth /usr/local/lib/python3*/dist-packages/*customize.py /usr/local/lib/python3*/site-packages/*.pth /usr/local/lib/python3*/site-packages/*customize.py")

// aboveSettings are files that tools look for in the folders above a project.
var aboveSettings = strings.Fields("go.work .cargo/config.toml .cargo/config conftest.py pytest.ini tox.ini setup.cfg pyproject.toml .npmrc .eslintrc .eslintrc.json .eslintrc.js .rubocop.yml .mocharc.json .mocharc.yml Directory.Build.props Directory.Build.targets nuget.config")

// programKey begins the names of programs among the surroundings.
const programKey = "program "

var bareWord = loopcore.Lazily(`^[A-Za-z][\w.+-]*$`)

// maxScript is up to which size a program is known by its content: a script
// that an installer writes again is the same; a binary is known by its stamp.
const maxScript = 1 << 20

// surroundings says, for the programs that the gate may call and the settings
// that those read from outside the work tree, where and what each is.
func (s *space) surroundings(g loopcore.Gate) map[string]string {
	out := map[string]string{}
	words := map[string]bool{}
	for _, w := range tools {
		words[w] = true
	}
	for _, st := range g.Steps {
		for _, w := range strings.Fields(st.Command) {
			if bareWord.MatchString(w) {
				words[w] = true
			}
		}
	}
	for w := range words {
		if path, err := exec.LookPath(w); err == nil && filepath.IsAbs(path) && !s.within(path) {
			out[programKey+w] = path + " " + s.identities.identity(path)
		}
	}
	if home, err := os.UserHomeDir(); err == nil {
		for _, name := range homeSettings {
			s.settings(out, filepath.Join(home, filepath.FromSlash(name)))
		}
	}
	for _, name := range systemSettings {
		s.settings(out, name)
	}
	for _, v := range []string{"CARGO_HOME", "XDG_CONFIG_HOME", "GRADLE_USER_HOME"} {
		if dir := os.Getenv(v); dir != "" {
			for _, name := range []string{"config.toml", "config", "go/env", "init.gradle", "gradle.properties"} {
				s.settings(out, filepath.Join(dir, filepath.FromSlash(name)))
			}
		}
	}
	for dir := filepath.Dir(s.repo.Top()); ; dir = filepath.Dir(dir) {
		for _, name := range aboveSettings {
			s.settings(out, filepath.Join(dir, filepath.FromSlash(name)))
		}
		if dir == filepath.Dir(dir) {
			return out
		}
	}
}

// within reports whether a path lies in the work tree, where it is looked at
// as any file there.
func (s *space) within(path string) bool {
	rel, err := filepath.Rel(s.repo.Top(), path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// settings adds the files that a pattern names.
func (s *space) settings(out map[string]string, pattern string) {
	found, err := filepath.Glob(pattern)
	if err != nil {
		return
	}
	for _, path := range found {
		out[path] = s.identities.identity(path)
	}
}

// identities remembers what files were known by. A digest is as good as new
// while the file's times and size are, unless it was changed so shortly before
// it was read that a later change could bear the same time.
type identities struct {
	mu    sync.Mutex
	known map[string]identified
}

type identified struct {
	stamp gitrepo.Stamp
	as    string
}

// freshly is how long before a reading a change counts as one that just was.
const freshly = 2 * time.Second

func (k *identities) identity(path string) string {
	st, stamped := gitrepo.StampOf(path)
	k.mu.Lock()
	was, known := k.known[path]
	k.mu.Unlock()
	if stamped && known && was.stamp == st {
		return was.as
	}
	as := identity(path)
	if again, ok := gitrepo.StampOf(path); stamped && ok && again == st && time.Since(time.Unix(0, st.Changed)) > freshly {
		k.mu.Lock()
		if k.known == nil {
			k.known = map[string]identified{}
		}
		k.known[path] = identified{st, as}
		k.mu.Unlock()
	}
	return as
}

// identity is the content of a small file, else its size and times.
func identity(path string) string {
	fi, err := os.Stat(path)
	if err != nil || !fi.Mode().IsRegular() {
		return ""
	}
	if fi.Size() <= maxScript {
		if data, err := os.ReadFile(path); err == nil {
			sum := sha256.Sum256(data)
			return hex.EncodeToString(sum[:16])
		}
	}
	return fmt.Sprintf("%d %d", fi.Size(), fi.ModTime().UnixNano())
}

// environment is a digest of what decides where tools and settings are found.
func environment() string {
	h := sha256.New()
	for _, v := range []string{"PATH", "HOME", "USERPROFILE", "CARGO_HOME", "XDG_CONFIG_HOME", "GRADLE_USER_HOME"} {
		h.Write([]byte(v + "=" + os.Getenv(v) + "\x00"))
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}
