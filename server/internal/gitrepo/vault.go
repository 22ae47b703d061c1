package gitrepo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"fixloop/loopcore"
)

// refPrefix holds one ref for each snapshot in the vault.
const refPrefix = "refs/ckpt/"

// vaultAttributes turn off every conversion. A false working-tree-encoding is
// an error in git, hence the exclamation mark.
const vaultAttributes = "* -text !eol !crlf -filter -ident !working-tree-encoding\n"

// vaultGit returns the git that works on the vault: nothing of the user's or
// the system's configuration reaches it.
func (r *Repo) vaultGit(bin string) git {
	env := append(cleanEnv(os.Environ()),
		"GIT_DIR="+r.vault, "GIT_WORK_TREE="+r.top,
		"GIT_INDEX_FILE="+r.inVault("index"), "GIT_OBJECT_DIRECTORY="+r.inVault("objects"),
		"GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "GIT_ATTR_NOSYSTEM=1",
		"GIT_LITERAL_PATHSPECS=1", "GIT_NO_REPLACE_OBJECTS=1")
	flags := slices.Concat(quietFlags, []string{
		"-c", "core.fsync=" + objectSync,
		"-c", "gc.auto=0", "-c", "maintenance.auto=false",
		// git's own default while XDG_CONFIG_HOME is set would be the user's
		"-c", "core.excludesFile=" + r.inVault("info", "excludes-file"),
	})
	return git{bin: bin, env: env, flags: flags, dir: r.top, timeout: r.limits.GitTime}
}

func (r *Repo) inVault(elem ...string) string {
	return filepath.Join(append([]string{r.vault}, elem...)...)
}

// op is one operation under the vault's lock. Its git is the vault's git with
// the lock handed down.
type op struct {
	*Repo
	git  git
	lock *os.File
}

// begin makes the vault if need be, takes its lock (waiting until ctx ends),
// removes what a dead run left, and refreshes configuration and ignore rules.
func (r *Repo) begin(ctx context.Context) (*op, error) {
	if err := r.makeVault(); err != nil {
		return nil, diskRefusal(err)
	}
	lock, err := r.takeLock(ctx)
	if err != nil {
		return nil, err
	}
	o := &op{Repo: r, git: r.own, lock: lock}
	o.git.held = lock
	if err := o.mark(); err != nil {
		o.end()
		return nil, diskRefusal(err)
	}
	if err := o.refresh(); err != nil {
		o.end()
		return nil, diskRefusal(err)
	}
	return o, nil
}

// end gives the lock back.
func (o *op) end() {
	o.letGo()
	os.Remove(o.inVault("running"))
	o.lock.Close()
}

// mark leaves a file for as long as the operation lasts. One that is there
// already was left by a run that died: then its leavings are swept.
func (o *op) mark() error {
	f, err := os.OpenFile(o.inVault("running"), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return o.sweep()
	}
	if err != nil {
		return err
	}
	return f.Close()
}

func (r *Repo) makeVault() error {
	if fi, err := os.Stat(r.inVault("lock")); err == nil && fi.Mode().IsRegular() {
		return nil
	}
	for _, dir := range []string{r.state, r.vault, r.inVault("info"), r.inVault("tmp"), r.inVault("refs", "ckpt"),
		r.inVault("objects", "info"), r.inVault("objects", "pack")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
	}
	if err := os.Chmod(r.state, 0o700); err != nil {
		return err
	}
	lock, err := os.OpenFile(r.inVault("lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	return lock.Close()
}

// takeLock waits for the lock. The kernel frees it when the last process of
// the operation that held it is gone, so there is no stale lock to judge.
func (r *Repo) takeLock(ctx context.Context) (*os.File, error) {
	lock, err := os.OpenFile(r.inVault("lock"), os.O_RDWR, 0)
	if err != nil {
		return nil, diskRefusal(err)
	}
	pause := 2 * time.Millisecond
	for {
		got, err := tryLock(lock)
		if got {
			return lock, nil
		}
		if err != nil {
			lock.Close()
			return nil, fmt.Errorf("lock the vault: %w", err)
		}
		select {
		case <-ctx.Done():
			lock.Close()
			return nil, loopcore.Refuse(loopcore.CodeBusy, "wait for it to finish and call again", "another operation on this work tree's snapshots is under way: %v", ctx.Err())
		case <-time.After(pause):
			pause = min(2*pause, 50*time.Millisecond)
		}
	}
}

// sweep removes what a dead run left: we hold the lock, so any lock file or
// temporary object in the vault is nobody's.
func (o *op) sweep() error {
	var dead []string
	for _, pattern := range []string{"*.lock", "tmp/*", "refs/ckpt/*.lock", "objects/tmp_obj*", "objects/*/tmp_obj_*", "objects/pack/tmp_*", "objects/pack/.tmp-*"} {
		found, err := filepath.Glob(filepath.Join(escapeGlob(o.vault), filepath.FromSlash(pattern)))
		if err != nil {
			return err
		}
		dead = append(dead, found...)
	}
	for _, path := range dead {
		if err := os.RemoveAll(path); err != nil {
			return err
		}
	}
	return nil
}

// escapeGlob makes a path literal in a pattern. Windows paths cannot hold the
// metacharacters and know no escape.
func escapeGlob(path string) string {
	if runtime.GOOS == "windows" {
		return path
	}
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}

// refresh writes what git reads in the vault, where it differs.
func (o *op) refresh() error {
	files := map[string]string{
		"HEAD":            "ref: refs/heads/none\n",
		"config":          o.vaultConfig(),
		"info/attributes": vaultAttributes,
		worktreeFile:      o.worktreeFacts(),
	}
	for name, content := range files {
		if err := writeIfNew(o.inVault(filepath.FromSlash(name)), content); err != nil {
			return err
		}
	}
	return nil
}

// refreshExcludes hands the user's ignore rules from outside the tree to the vault.
func (o *op) refreshExcludes(ctx context.Context) error {
	excludes, err := o.userExcludes(ctx)
	if err == nil {
		err = writeIfNew(o.inVault("info", "exclude"), excludes.repo+o.products())
	}
	if err == nil {
		err = writeIfNew(o.inVault("info", "excludes-file"), excludes.global)
	}
	return diskRefusal(err)
}

// vaultConfig is the vault's configuration. The file system is probed, never
// taken from the user's settings: those may come from another machine.
func (r *Repo) vaultConfig() string {
	posix := runtime.GOOS != "windows"
	var b strings.Builder
	b.WriteString("[core]\n\trepositoryformatversion = 0\n\tbare = false\n")
	set := func(key string, value bool) { fmt.Fprintf(&b, "\t%s = %v\n", key, value) }
	set("filemode", posix)
	set("symlinks", posix)
	set("ignorecase", foldsCase(r.top))
	set("protectNTFS", !posix)
	set("protectHFS", runtime.GOOS == "darwin")
	set("precomposeunicode", runtime.GOOS == "darwin")
	set("longpaths", true)
	for _, key := range []string{"autocrlf", "safecrlf", "fsmonitor", "untrackedCache", "splitIndex", "sparseCheckout", "logAllRefUpdates"} {
		set(key, false)
	}
	set("trustctime", true)
	b.WriteString("\tcheckStat = default\n\tattributesFile = " + os.DevNull + "\n")
	b.WriteString("[gc]\n\tauto = 0\n[index]\n\tversion = 2\n[pack]\n\twriteReverseIndex = false\n")
	return b.String()
}

// foldsCase says whether the file system of dir takes two spellings of a name
// for one file. It only looks.
func foldsCase(dir string) bool {
	for _, pair := range [][2]string{
		{filepath.Join(dir, ".git"), filepath.Join(dir, ".GIT")},
		{dir, filepath.Join(filepath.Dir(dir), flipCase(filepath.Base(dir)))},
	} {
		a, err := os.Lstat(pair[0])
		if err != nil || pair[0] == pair[1] {
			continue
		}
		b, err := os.Lstat(pair[1])
		return err == nil && os.SameFile(a, b)
	}
	return runtime.GOOS == "windows" || runtime.GOOS == "darwin"
}

func flipCase(s string) string {
	if upper := strings.ToUpper(s); upper != s {
		return upper
	}
	return strings.ToLower(s)
}

// excludes are the user's ignore rules from outside the work tree.
type excludes struct {
	repo   string // info/exclude, and our own folder if it lies in the tree
	global string // the file core.excludesFile names
}

// userExcludes reads the ignore rules a snapshot must follow.
func (r *Repo) userExcludes(ctx context.Context) (excludes, error) {
	var e excludes
	if within(r.state, r.top) {
		rel, err := filepath.Rel(r.top, r.state)
		if err != nil {
			return e, err
		}
		e.repo = "/" + filepath.ToSlash(rel) + "/\n"
	}
	if r.Plain() {
		return e, nil
	}
	repo, err := readIfThere(filepath.Join(r.common, "info", "exclude"))
	if err != nil {
		return e, err
	}
	e.repo = string(repo) + "\n" + e.repo
	name, err := r.excludesFile(ctx)
	if err != nil || name == "" {
		return e, err
	}
	global, err := readIfThere(name)
	e.global = string(global)
	return e, err
}

// readIfThere reads a small settings file; one that is missing, a folder or not
// ours to read is empty, as it is to git.
func readIfThere(path string) ([]byte, error) {
	fi, err := os.Stat(path)
	if err != nil || !fi.Mode().IsRegular() || fi.Size() > 64<<20 {
		return nil, nil
	}
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		return nil, nil
	}
	return data, err
}

// writeIfNew replaces a file whole, and leaves it alone where nothing differs.
func writeIfNew(path, content string) error {
	if old, err := os.ReadFile(path); err == nil && bytes.Equal(old, []byte(content)) {
		return nil
	}
	return writeFile(path, []byte(content), false)
}

// writeFile replaces a file in one step; synced makes it survive a power cut.
func writeFile(path string, content []byte, synced bool) error {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*.lock")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(content)
	if err == nil && synced {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err == nil && synced {
		err = syncDir(filepath.Dir(path))
	}
	return err
}

// diskRefusal names a failure to write our own files.
func diskRefusal(err error) error {
	var refusal *loopcore.Error
	var path *fs.PathError
	if err == nil || errors.As(err, &refusal) || !errors.As(err, &path) {
		return err
	}
	return loopcore.Refuse(loopcore.CodeDisk, "free some space or give this user write permission; FIXLOOP_STATE moves the folder",
		"the state folder cannot be written: %v", err)
}
