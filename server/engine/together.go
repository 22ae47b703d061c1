package engine

import (
	"errors"
	"fmt"
	"sync"
)

// together runs all functions at once and returns their errors joined, in
// order. One that breaks down is an error like others: it must not end a server
// that looks after other runs.
func together(fns ...func() error) error {
	errs := make([]error, len(fns))
	var wg sync.WaitGroup
	for i, fn := range fns {
		wg.Go(func() {
			defer func() {
				if p := recover(); p != nil {
					errs[i] = fmt.Errorf("broke down: %v", p)
				}
			}()
			errs[i] = fn()
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}
