package contract

// CheckpointIn are the arguments of checkpoint.
type CheckpointIn struct {
	Repo      string `json:"repo,omitempty"`
	Session   string `json:"session,omitempty"`
	Action    string `json:"action"` // create | list | restore
	RootCause string `json:"root_cause,omitempty"`
	ID        string `json:"id,omitempty"`
	Usage     Usage  `json:"usage"`
}

// CheckpointOut is the checkpoint made or restored, or the list of them.
type CheckpointOut struct {
	Action      string       `json:"action"`
	Checkpoint  *Checkpoint  `json:"checkpoint"` // null for list
	Checkpoints []Checkpoint `json:"checkpoints"`
	Discarded   string       `json:"discarded"` // restore: the snapshot of what was there before
	Notes       []string     `json:"notes"`     // what is not shown, and why
	Next        string       `json:"next"`
}

// Checkpoint is an accepted tested tree to roll back to.
type Checkpoint struct {
	ID        string   `json:"id"` // a snapshot's id
	Iteration int      `json:"iteration"`
	Tree      string   `json:"tree"`
	Commit    string   `json:"commit"` // branch mode only
	Files     []string `json:"files"`  // changed since the checkpoint before
	RootCause string   `json:"root_cause"`
	Kind      string   `json:"kind"` // baseline | checkpoint | best | discarded
}
