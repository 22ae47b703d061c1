// Package gitrepo keeps snapshots of a work tree in a vault: a private git
// directory of ours, outside the work tree and outside .git.
//
// The user's repository is read, never written: no object, ref, index, lock,
// configuration or hook of theirs is created, changed or run. The two
// exceptions are named for what they do, Stage and Commit, and use the user's
// own git as they have set it up.
//
// The git binary hashes and writes the work tree; go-git reads the vault. What
// git would only look at is looked at here, without a process, as long as all
// is ordinary: files against the private index (lookatknown.go), what is new
// (walk.go), HEAD, loose objects. Anything odd is left to git, and what git once
// answered is kept by all that the answer hangs on (remember.go).
//
// Bytes go in and the same bytes come out: the vault turns off every
// conversion. A restore takes a snapshot first, so that it can be undone, and
// refuses before its first write when a file moved under it.
//
// A reader's way in: git.go runs git, open.go finds the work tree, vault.go
// lays the vault out, capture.go makes the private index equal the work tree,
// snapshot.go turns that into a ref, restore.go goes back.
package gitrepo
