package gitrepo

import "context"

// seed prepares the private index before the first snapshot.
func (o *op) seed(ctx context.Context) error { return nil }
