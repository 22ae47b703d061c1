package gitrepo

import (
	"context"
	"slices"
	"strings"
)

// productsFile holds, in the vault, the ignore rules of what the gate itself
// makes in the tree.
const productsFile = "products"

// Products tells the vault what the gate makes in the tree: ignore rules, one
// each, that hold from now on beside the user's own. What they match and the
// user does not track is in no later snapshot and never touched by a restore,
// like any ignored file. The list replaces the one before.
func (r *Repo) Products(ctx context.Context, rules []string) error {
	if err := r.makeVault(); err != nil {
		return diskRefusal(err)
	}
	content := strings.Join(rules, "\n")
	if content != "" {
		content += "\n"
	}
	if old, err := readIfThere(r.inVault(productsFile)); err == nil && string(old) == content {
		return nil
	}
	if err := writeIfNew(r.inVault(productsFile), content); err != nil {
		return diskRefusal(err)
	}
	o, err := r.begin(ctx)
	if err != nil {
		return err
	}
	defer o.end()
	return o.forget(ctx, rules)
}

// products are the rules as they stand, for info/exclude.
func (r *Repo) products() string {
	data, err := readIfThere(r.inVault(productsFile))
	if err != nil {
		return ""
	}
	return string(data)
}

// forget drops from the private index what the rules match and the user does
// not track.
func (o *op) forget(ctx context.Context, rules []string) error {
	if len(rules) == 0 {
		return nil
	}
	args := []string{"ls-files", "-z", "-c", "-i"}
	for _, rule := range rules {
		args = append(args, "--exclude="+rule)
	}
	res, err := o.git.run(ctx, call{args: args})
	if err != nil {
		return asRefusal(err, "run `fixloop doctor`; the vault may be damaged")
	}
	tracked, err := o.trackedLazily(ctx)()
	if err != nil {
		return err
	}
	gone := slices.DeleteFunc(fields(res.out), func(path string) bool { return tracked[path] })
	if err := o.unnote(gone); err != nil { // else it would be looked at, and taken, once more
		return err
	}
	if len(gone) == 0 {
		return nil
	}
	m, err := o.loadModes(ctx)
	if err != nil {
		return err
	}
	for _, path := range gone {
		delete(m.odd, path)
	}
	if err := o.saveModes(m); err != nil {
		return err
	}
	err = o.updateIndex(ctx, gone, "--force-remove")
	return asRefusal(err, "run `fixloop doctor`; the vault may be damaged")
}

// Tracked are the paths in the user's index.
func (r *Repo) Tracked(ctx context.Context) (map[string]bool, error) {
	o := &op{Repo: r}
	return o.trackedLazily(ctx)()
}
