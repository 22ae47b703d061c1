package guard

import "fixloop/loopcore"

// lazyRE is a regular expression of a table.
type lazyRE = loopcore.Expression

func lazily(src string) *lazyRE { return loopcore.Lazily(src) }
