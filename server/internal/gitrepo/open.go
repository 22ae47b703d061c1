package gitrepo

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"
	"unicode"

	"github.com/go-git/go-git/v5/plumbing/cache"

	"fixloop/loopcore"
)

// Options say where state lives and what a snapshot may take.
type Options struct {
	// StateDir is the folder that holds one folder for each work tree; "" is
	// DefaultStateDir. It is made with mode 0700.
	StateDir string
	// AllowPlain lets a folder without a repository be its own top.
	AllowPlain bool
	// AllowHome lets the home folder, a parent of it, or / be a work tree.
	AllowHome bool
	Limits    Limits
}

// Limits bound one snapshot. Zero means the default.
type Limits struct {
	FileBytes int64         // a new file above this is reported, not taken; default 100 MiB
	NewBytes  int64         // all new files of one snapshot together; default 4 GiB
	Files     int           // new files of one snapshot; more is refused; default 1,000,000
	GitTime   time.Duration // one git process; default 10 minutes
}

func (l Limits) orDefault() Limits {
	if l.FileBytes == 0 {
		l.FileBytes = 100 << 20
	}
	if l.NewBytes == 0 {
		l.NewBytes = 4 << 30
	}
	if l.Files == 0 {
		l.Files = 1_000_000
	}
	if l.GitTime == 0 {
		l.GitTime = 10 * time.Minute
	}
	return l
}

// Repo is one work tree and its vault. What it remembers between calls is
// checked against what it was made of, so several processes may hold one for
// the same tree; operations that write take the vault's lock. Safe for
// concurrent use.
type Repo struct {
	top     string // the work tree's top, physical path
	gitDir  string // the user's git directory; "" for a plain folder
	common  string // what linked work trees share
	sha256  bool   // the user's object format; the vault is always sha1
	key     string
	state   string // <StateDir>/<key>
	vault   string // <StateDir>/<key>/vault
	limits  Limits
	user    git // reads the user's repository
	own     git // the vault's git
	memory  *memory
	objects cache.Object // of the vault, lately read
	stood   string       // see Stands
}

// DefaultStateDir is FIXLOOP_STATE, else fixloop/ in XDG_STATE_HOME, else in
// the platform's place for state.
func DefaultStateDir() (string, error) {
	if dir := os.Getenv("FIXLOOP_STATE"); dir != "" {
		if !filepath.IsAbs(dir) { // it would be another folder in every folder, most of them work trees
			return "", loopcore.Refuse(loopcore.CodeInvalidArgument, "give an absolute path", "FIXLOOP_STATE is %q, a relative path", loopcore.CleanLine(dir, 200))
		}
		return filepath.Clean(dir), nil
	}
	if dir := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "fixloop"), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", loopcore.Refuse(loopcore.CodeDisk, "set FIXLOOP_STATE to a folder", "no place to keep state: %v", err)
	}
	switch runtime.GOOS {
	case "darwin":
		return filepath.Join(home, "Library", "Application Support", "fixloop"), nil
	case "windows":
		if dir := os.Getenv("LocalAppData"); dir != "" {
			return filepath.Join(dir, "fixloop"), nil
		}
	}
	return filepath.Join(home, ".local", "state", "fixloop"), nil
}

// Open finds the work tree that dir lies in. It writes nothing. Refusals:
// not_a_repository (also for a bare one, and inside .git), git (missing, older
// than 2.31, or it refuses the folder's owner), not_found.
func Open(ctx context.Context, dir string, o Options) (*Repo, error) {
	abs, err := physical(dir)
	if err != nil {
		return nil, err
	}
	bin, err := exec.LookPath("git")
	if err != nil {
		return nil, loopcore.Refuse(loopcore.CodeGit, "install git 2.31 or newer and start again", "git was not found: %v", err)
	}
	r := &Repo{limits: o.Limits.orDefault(), memory: &memory{}, objects: cache.NewObjectLRU(16 << 20)}
	r.user = git{bin: bin, env: append(cleanEnv(os.Environ()), "GIT_OPTIONAL_LOCKS=0"), flags: quietFlags, dir: abs, timeout: r.limits.GitTime}
	if err := r.locate(ctx, abs, o); err != nil {
		return nil, err
	}
	if err := refuseHome(r.top, o); err != nil {
		return nil, err
	}
	if err := r.place(o); err != nil {
		return nil, err
	}
	r.user.dir = r.top
	r.own = r.vaultGit(bin)
	if !r.Plain() {
		r.stood = r.standing()
	}
	return r, nil
}

// physical returns dir as an absolute path without links, and refuses what is
// not a folder we can read.
func physical(dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err == nil {
		abs, err = filepath.EvalSymlinks(abs)
	}
	if err == nil {
		var d *os.File
		if d, err = os.Open(abs); err == nil {
			_, err = d.Readdirnames(1)
			d.Close()
		}
	}
	switch {
	case err == nil || errors.Is(err, io.EOF): // an empty folder is one
		return abs, nil
	case errors.Is(err, fs.ErrPermission):
		return "", loopcore.Refuse(loopcore.CodeNotFound, "give this user read permission, or name another folder", "%s cannot be read: %v", dir, err)
	}
	return "", loopcore.Refuse(loopcore.CodeNotFound, "name a folder in a git work tree", "%s is not a folder: %v", dir, err)
}

// locate fills top, gitDir, common and the object format.
func (r *Repo) locate(ctx context.Context, abs string, o Options) error {
	ask := func(what ...string) (result, error) {
		return r.user.run(ctx, call{args: append([]string{"rev-parse", "--path-format=absolute"}, what...)})
	}
	res, err := ask("--show-toplevel", "--absolute-git-dir", "--git-common-dir", "--show-object-format")
	if strings.HasPrefix(string(res.out), "--path-format") {
		return loopcore.Refuse(loopcore.CodeGit, "install git 2.31 or newer and start again", "this git is too old")
	}
	if err != nil {
		return r.locatePlain(abs, o, res, err)
	}
	lines := strings.Split(strings.TrimSuffix(string(res.out), "\n"), "\n")
	if len(lines) != 4 { // a path with a newline in it: ask one by one
		lines = nil
		for _, what := range []string{"--show-toplevel", "--absolute-git-dir", "--git-common-dir", "--show-object-format"} {
			one, err := ask(what)
			if err != nil {
				return asRefusal(err, "run the same git command by hand to see why")
			}
			lines = append(lines, strings.TrimSuffix(string(one.out), "\n"))
		}
	}
	r.top, r.gitDir, r.common = filepath.FromSlash(lines[0]), filepath.FromSlash(lines[1]), filepath.FromSlash(lines[2])
	r.sha256 = lines[3] == "sha256"
	return nil
}

// locatePlain decides what a folder is that git would not open.
func (r *Repo) locatePlain(abs string, o Options, res result, err error) error {
	if code := loopcore.CodeOf(err); code != loopcore.CodeInternal {
		return err
	}
	if strings.Contains(res.stderr, "not a git repository") {
		if o.AllowPlain {
			r.top = knownTop(abs, o)
			return nil
		}
		return loopcore.Refuse(loopcore.CodeNotARepository, "run `git init` and commit once, or name a folder in a git work tree", "%s is not in a git work tree", abs)
	}
	if strings.Contains(res.stderr, "must be run in a work tree") {
		return loopcore.Refuse(loopcore.CodeNotARepository, "name a folder in a work tree of it (`git worktree add` makes one)", "%s is a bare repository, or inside .git", abs)
	}
	return asRefusal(err, "settle what git says and call again; nothing was changed")
}

// knownTop returns the nearest folder at or above dir that has a vault: the
// top of a work tree whose .git is gone. Else dir.
func knownTop(dir string, o Options) string {
	state := o.StateDir
	if state == "" {
		state, _ = DefaultStateDir()
	}
	for d := dir; ; d = filepath.Dir(d) {
		if _, err := os.Stat(filepath.Join(state, keyOf(d), "vault", "HEAD")); err == nil {
			return d
		}
		if d == filepath.Dir(d) {
			return dir
		}
	}
}

func refuseHome(top string, o Options) error {
	if o.AllowHome {
		return nil
	}
	home, err := os.UserHomeDir()
	if err == nil {
		if real, err := filepath.EvalSymlinks(home); err == nil {
			home = real
		}
	}
	if top == filepath.Dir(top) || err == nil && within(home, top) {
		return loopcore.Refuse(loopcore.CodeInvalidArgument, "work in a project's folder, or allow the home folder as a work tree explicitly",
			"%s is the home folder, or above it: a snapshot would take everything in it", top)
	}
	return nil
}

// within says whether path is dir or lies below it; both absolute and clean.
func within(path, dir string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// keyOf names the state of a work tree: the folder's name for people, a hash of
// its path for certainty.
func keyOf(top string) string {
	sum := sha256.Sum256([]byte(top))
	name := strings.Map(func(c rune) rune {
		if c < 128 && (unicode.IsLetter(c) || unicode.IsDigit(c) || c == '-' || c == '_') {
			return c
		}
		return -1
	}, filepath.Base(top))
	return name[:min(len(name), 24)] + "-" + hex.EncodeToString(sum[:8])
}

// place decides where state goes: StateDir, or inside the git directory where
// the platform's state folder can not be written (git ignores unknown folders there).
func (r *Repo) place(o Options) error {
	dir, err := o.StateDir, error(nil)
	if dir == "" {
		dir, err = DefaultStateDir()
	}
	if err == nil {
		dir, err = filepath.Abs(dir)
	}
	if loopcore.CodeOf(err) == loopcore.CodeInvalidArgument {
		return err
	}
	r.key = keyOf(r.top)
	switch given := os.Getenv("FIXLOOP_STATE"); {
	case err == nil && writable(dir):
		dir = withoutLinksAbove(dir)
	case err == nil && o.StateDir == "" && given != "":
		return loopcore.Refuse(loopcore.CodeDisk, "make the folder writable, or unset FIXLOOP_STATE", "FIXLOOP_STATE is %s, where this user may not write", given)
	case r.common != "" && writable(r.common):
		dir = filepath.Join(r.common, "fixloop")
	case err != nil:
		return err
	}
	r.state = filepath.Join(dir, r.key)
	r.vault = filepath.Join(r.state, "vault")
	return nil
}

// withoutLinksAbove resolves the part of a path that exists.
func withoutLinksAbove(dir string) string {
	rest := ""
	for d := dir; ; d = filepath.Dir(d) {
		if real, err := filepath.EvalSymlinks(d); err == nil {
			return filepath.Join(real, rest)
		}
		if d == filepath.Dir(d) {
			return dir
		}
		rest = filepath.Join(filepath.Base(d), rest)
	}
}

// writable says whether dir, or the nearest folder above it that exists, looks
// like one we may write into. It makes nothing.
func writable(dir string) bool {
	for d := dir; ; d = filepath.Dir(d) {
		fi, err := os.Stat(d)
		if err == nil {
			return fi.IsDir() && mayWrite(d)
		}
		if d == filepath.Dir(d) {
			return false
		}
	}
}

// Top is the top of the work tree, an absolute path without links.
func (r *Repo) Top() string { return r.top }

// Key names this work tree in the state folder.
func (r *Repo) Key() string { return r.key }

// StateDir is the folder of this work tree's state. It may not exist yet.
func (r *Repo) StateDir() string { return r.state }

// Plain says that there is no git repository: the folder is its own top.
func (r *Repo) Plain() bool { return r.gitDir == "" }

// Dirty lists what `git status` calls changed, staged or untracked under the
// user's ignore rules, sorted; an untracked folder is one entry that ends in a
// slash. The user's index is not refreshed.
func (r *Repo) Dirty(ctx context.Context) ([]string, error) {
	if r.Plain() {
		return nil, nil
	}
	args := []string{"status", "--porcelain=v1", "-z", "--untracked-files=normal", "--no-renames", "--ignore-submodules=none"}
	res, err := r.user.run(ctx, call{args: args})
	if err != nil {
		return nil, asRefusal(err, "run `git status` by hand to see why")
	}
	var list []string
	for _, line := range fields(res.out) {
		if len(line) > 3 && !r.isState(line[3:]) {
			list = append(list, line[3:])
		}
	}
	return sortedSet(list), nil
}

// isState says whether a path relative to the top is ours: a state folder may
// lie inside the work tree.
func (r *Repo) isState(path string) bool {
	return within(r.top, r.vault) || within(filepath.Join(r.top, filepath.FromSlash(path)), r.state)
}
