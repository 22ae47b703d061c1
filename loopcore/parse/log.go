package parse

import "fixloop/loopcore"

// Log is one run's output as lines: colour and cursor codes gone, carriage
// returns resolved, no line ends, invalid UTF-8 replaced. For an output larger
// than the window the middle is reduced to the lines that could matter and
// their surroundings, so that memory stays constant (Cut says so).
type Log struct {
	Lines   []string
	Numbers []int // 1-based line numbers in the original output; nil = index+1
	Bytes   int64 // size of the original
	Cut     bool
	In      Input
}

// Claims records which lines some reader understood.
type Claims struct {
	owner []string // by line index: the reader's name, "" = free
}

// NewClaims returns the claims for a log of n lines.
func NewClaims(n int) *Claims { return &Claims{owner: make([]string, n)} }

// Take claims lines from..to (to excluded) for the reader. Lines that are
// already claimed stay with their owner.
func (c *Claims) Take(reader string, from, to int) {
	for i := max(from, 0); i < to && i < len(c.owner); i++ {
		if c.owner[i] == "" {
			c.owner[i] = reader
		}
	}
}

// Free reports whether line i is claimed by nobody, or by the reader itself.
func (c *Claims) Free(reader string, i int) bool {
	return c.owner[i] == "" || c.owner[i] == reader
}

// Parse reads one run's output and its report files.
func Parse(in Input) loopcore.Report { return loopcore.Report{} }
