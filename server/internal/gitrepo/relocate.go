package gitrepo

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// target is where a link of the copy leads: never into the work tree, and
// where it led out of the work tree to the same place.
func (c *copier) target(rel, to string) string {
	if filepath.IsAbs(to) {
		return Relocate(to, c.r.top, c.dir)
	}
	full := filepath.Join(filepath.Dir(c.r.abs(rel)), to)
	if within(full, c.r.top) {
		return to
	}
	return full
}

// turnLinks does the same for the links that the snapshot holds.
func (c *copier) turnLinks() error {
	for rel := range c.have {
		fi, err := c.root.Lstat(rel)
		if err != nil || fi.Mode()&fs.ModeSymlink == 0 {
			continue
		}
		to, err := c.root.Readlink(rel)
		if err != nil {
			return diskRefusal(err)
		}
		if now := c.target(rel, to); now != to {
			if err := c.root.Remove(rel); err != nil {
				return diskRefusal(err)
			}
			if err := c.root.Symlink(now, rel); err != nil {
				return diskRefusal(err)
			}
		}
	}
	return nil
}

// Relocate replaces folder from by folder to wherever text names it or
// something in it.
func Relocate(text, from, to string) string {
	var b strings.Builder
	for {
		i := strings.Index(text, from)
		if i < 0 {
			b.WriteString(text)
			return b.String()
		}
		end := i + len(from)
		b.WriteString(text[:i])
		if end < len(text) && isNameByte(text[end]) || i > 0 && (isNameByte(text[i-1]) || text[i-1] == '/' && !strings.HasSuffix(text[:i], "://")) {
			b.WriteString(from) // the beginning of another name, or the end of a longer path
		} else {
			b.WriteString(to)
		}
		text = text[end:]
	}
}

func isNameByte(c byte) bool {
	return c == '_' || c == '-' || c == '.' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= 0x80
}

// RemoveCopy removes what Copy made, folders that nobody may write included.
func RemoveCopy(dir string) error {
	if err := os.RemoveAll(dir); err == nil {
		return nil
	}
	_ = filepath.WalkDir(dir, func(at string, d fs.DirEntry, err error) error {
		if d != nil && d.IsDir() {
			_ = os.Chmod(at, 0o700)
		}
		return nil
	})
	return os.RemoveAll(dir)
}
