package gitrepo

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
)

// configured is what the user's configuration says, and what it was read from.
type configured struct {
	asked bool
	files []string // every file that git reads it from; nil: not known
	key   string   // a digest of their contents
	value string   // core.excludesFile
}

// excludesFile is the path core.excludesFile names, or git's default for it.
// From the second time on git is only asked where its files have changed.
func (r *Repo) excludesFile(ctx context.Context) (string, error) {
	r.memory.mu.Lock()
	was := r.memory.config
	r.memory.config.asked = true
	r.memory.mu.Unlock()
	if key := configKey(was.files); key != "" && was.key == key {
		return was.value, nil
	}
	now := configured{asked: true}
	if was.asked {
		if now.files = r.configFiles(ctx); now.files != nil {
			now.key = configKey(now.files)
		}
	}
	var err error
	if now.value, err = r.askExcludesFile(ctx); err != nil {
		return "", err
	}
	if configKey(now.files) == now.key { // else it changed under our hands
		r.memory.mu.Lock()
		r.memory.config = now
		r.memory.mu.Unlock()
	}
	return now.value, nil
}

// configKey is "" where it can not be told: none named, or one not readable.
func configKey(files []string) string {
	if len(files) == 0 {
		return ""
	}
	h := sha256.New()
	for _, name := range files {
		if digestInto(h, name) != nil {
			return ""
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}

// configFiles lists the files that the user's configuration comes from: those
// that say something now, and those that git would look for. nil where one
// includes others: which ones may depend on more than files.
func (r *Repo) configFiles(ctx context.Context) []string {
	res, err := r.user.run(ctx, call{args: []string{"config", "--list", "--show-origin", "-z"}})
	if err != nil {
		return nil
	}
	files := []string{filepath.Join(r.common, "config"), filepath.Join(r.gitDir, "config.worktree"), "/etc/gitconfig",
		"/usr/local/etc/gitconfig", "/opt/homebrew/etc/gitconfig"}
	if home, err := os.UserHomeDir(); err == nil {
		files = append(files, filepath.Join(home, ".gitconfig"), filepath.Join(home, ".config", "git", "config"))
	}
	if dir := os.Getenv("XDG_CONFIG_HOME"); dir != "" {
		files = append(files, filepath.Join(dir, "git", "config"))
	}
	list := fields(res.out) // an origin, then a key with its value, in turns
	for i := 0; i+1 < len(list); i += 2 {
		if key := list[i+1]; strings.HasPrefix(key, "include.") || strings.HasPrefix(key, "includeif.") {
			return nil
		}
		if name, ok := strings.CutPrefix(list[i], "file:"); ok {
			if !filepath.IsAbs(name) {
				name = filepath.Join(r.top, name)
			}
			files = append(files, name)
		}
	}
	return sortedSet(files)
}

// askExcludesFile asks git.
func (r *Repo) askExcludesFile(ctx context.Context) (string, error) {
	res, err := r.user.run(ctx, call{args: []string{"config", "--type=path", "--get", "core.excludesFile"}, ok: []int{1}})
	if err != nil {
		return "", asRefusal(err, "check core.excludesFile in your git configuration")
	}
	if name := strings.TrimSuffix(string(res.out), "\n"); res.exit == 0 {
		if name != "" && !filepath.IsAbs(name) {
			name = filepath.Join(r.top, name)
		}
		return name, nil
	}
	if dir := os.Getenv("XDG_CONFIG_HOME"); dir != "" {
		return filepath.Join(dir, "git", "ignore"), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", nil
	}
	return filepath.Join(home, ".config", "git", "ignore"), nil
}
