package parse

import (
	"slices"

	"fixloop/loopcore"
)

// ParseWithout reads an output as if the named readers had never been written.
func ParseWithout(in Input, names ...string) loopcore.Report {
	rest := slices.DeleteFunc(slices.Clone(Readers), func(r Reader) bool { return slices.Contains(names, r.Name) })
	return readWith(NewLog(in), rest)
}
