package gitrepo

// HiddenWhy says what keeps an edit out of sight.
type HiddenWhy string

// The ways to hide a path from git.
const (
	HiddenAssumeUnchanged HiddenWhy = "assume-unchanged"
	HiddenSkipWorktree    HiddenWhy = "skip-worktree"
	HiddenIgnored         HiddenWhy = "ignored since"
)

// Hidden is a path whose edits `git status` and a snapshot do not show.
type Hidden struct {
	Path string    `json:"path"`
	Why  HiddenWhy `json:"why"`
}
