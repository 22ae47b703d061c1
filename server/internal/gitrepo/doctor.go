package gitrepo

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"strings"
)

// Diagnosis is one thing the doctor looked at.
type Diagnosis struct {
	What string `json:"what"`
	OK   bool   `json:"ok"`
	Says string `json:"says"` // what was found
	Hint string `json:"hint,omitempty"`
}

// Doctor checks git, the vault and every snapshot in it. It mends one thing: a
// private index that git cannot read is dropped, so that the next snapshot
// hashes everything anew.
func (r *Repo) Doctor(ctx context.Context) ([]Diagnosis, error) {
	res, err := r.user.run(ctx, call{args: []string{"version"}})
	if err != nil {
		return nil, asRefusal(err, "install git 2.31 or newer")
	}
	list := []Diagnosis{{What: "git", OK: true, Says: strings.TrimSpace(string(res.out))}}
	if o, ok := r.Moved(ctx); ok {
		return append(list, Diagnosis{What: "vault", Says: "this folder was at " + o.Top + "; its snapshots are under the key " + o.Key,
			Hint: "adopt them, or move the folder back"}), nil
	}
	if _, err := os.Stat(r.inVault("lock")); errors.Is(err, fs.ErrNotExist) {
		return append(list, Diagnosis{What: "vault", OK: true, Says: "none yet; the first snapshot makes it at " + r.vault}), nil
	}
	if j, ok, err := r.Pending(ctx); err != nil || ok {
		list = append(list, Diagnosis{What: "restore", Says: "one to " + j.Target + " was cut short; what was there before is " + j.Safety,
			Hint: "restore either of the two"})
	}
	o, err := r.begin(ctx)
	if err != nil {
		return list, err
	}
	defer o.end()
	list = append(list, o.checkIndex(ctx))
	return append(list, o.checkObjects(ctx)...), ctx.Err()
}

func (o *op) checkIndex(ctx context.Context) Diagnosis {
	if _, err := o.git.run(ctx, call{args: []string{"ls-files", "-z"}}); err == nil {
		return Diagnosis{What: "private index", OK: true, Says: "readable"}
	}
	for _, name := range []string{"index", "modes"} {
		os.Remove(o.inVault(name))
	}
	return Diagnosis{What: "private index", Says: "damaged; dropped", Hint: "nothing to do: the next snapshot reads every file again"}
}

// checkObjects walks every snapshot to its last blob.
func (o *op) checkObjects(ctx context.Context) []Diagnosis {
	list, err := o.List(ctx)
	if err != nil {
		return []Diagnosis{{What: "snapshots", Says: err.Error()}}
	}
	res, err := o.git.run(ctx, call{args: []string{"fsck", "--full", "--no-dangling", "--no-progress"}, ok: []int{1, 2, 3, 4, 5, 6, 7, 8, 9}})
	if err != nil {
		return []Diagnosis{{What: "snapshots", Says: err.Error()}}
	}
	if res.exit == 0 {
		return []Diagnosis{{What: "snapshots", OK: true, Says: plural(len(list), "snapshot") + ", every object there and sound",
			Hint: "without fixloop: git --git-dir='" + o.vault + "' cat-file -p 'refs/ckpt/ID^{tree}:work/PATH'"}}
	}
	found := []Diagnosis{{What: "vault", Says: lastLines(string(res.out)+res.stderr, 3), Hint: "the snapshots named below are damaged, the others are whole"}}
	for _, s := range list {
		if _, err := o.git.run(ctx, call{args: []string{"rev-list", "--objects", "--quiet", s.Tree}}); err != nil || strings.HasPrefix(s.Label, DamagedLabel) {
			found = append(found, Diagnosis{What: "snapshot " + s.ID, Says: "damaged",
				Hint: "restore another one; files it shares with others may be readable with `fixloop show`"})
		}
	}
	// The index may claim to have stored what is lost: read everything again.
	os.Remove(o.inVault("index"))
	return found
}
