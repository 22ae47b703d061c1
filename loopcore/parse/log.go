package parse

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// maxLine is how much of a line the readers see. Nothing that names a failure
// is longer; a minified bundle or a one-line JSON report is (see Log.Whole).
const maxLine = 8 << 10

// Log is one run's output as lines: colour and cursor codes gone, carriage
// returns resolved, no line ends, invalid UTF-8 replaced. For an output larger
// than the window the middle is reduced to the lines that could matter and
// their surroundings, so that memory stays constant (Cut says so).
type Log struct {
	Lines   []string // at most maxLine bytes each
	Numbers []int    // 1-based line numbers in the original output; nil = index+1
	Bytes   int64    // size of the original
	Cut     bool
	In      Input

	text    string // all lines, joined by \n and never shortened; Lines point into it
	starts  []int  // where each line begins in text
	unread  int    // see loopcore.Report.Unread
	dir     string // the folder the run worked in, where the output tells: see Path
	home    string // the folder that the program of a stream ran in: see atHome
	grams   *grams
	folded  *grams // of the text in small letters
	marks   map[string]bool
	sources map[string]string // files of In.Root that were read
	known   *knownPaths       // what was found out about paths, for all logs of one folder
}

// NewLog cleans an output. One larger than the window is reduced first.
func NewLog(in Input) *Log {
	if len(in.Text) > headSize+middleSize+tailSize {
		l, _ := ReadLog(bytes.NewReader(in.Text), in) // a reader of bytes does not fail
		return l
	}
	l := &Log{In: in, Bytes: int64(len(in.Text)), marks: map[string]bool{}, known: newKnownPaths()}
	l.text, l.Numbers = clean(in.Text)
	l.split()
	l.dir = workDir(l)
	return l
}

// split fills Lines and starts from text.
func (l *Log) split() {
	n := strings.Count(l.text, "\n") + 1
	l.Lines, l.starts = make([]string, 0, n), make([]int, 0, n)
	for at := 0; at < len(l.text); {
		end := strings.IndexByte(l.text[at:], '\n')
		if end < 0 {
			end = len(l.text) - at
		}
		l.starts = append(l.starts, at)
		l.Lines = append(l.Lines, shorten(l.text[at:at+end]))
		at += end + 1
	}
}

func shorten(s string) string {
	if len(s) <= maxLine {
		return s
	}
	cut := maxLine
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut]
}

// Has reports whether the literal occurs anywhere in the log. It is what Spot
// functions are made of: cheap, and remembered.
func (l *Log) Has(literal string) bool {
	known, ok := l.marks[literal]
	if !ok {
		if l.grams == nil {
			l.grams = newGrams(l.text)
		}
		known = l.grams.may(literal) && contains(l.text, literal)
		l.marks[literal] = known
	}
	return known
}

// present is those of the literals that occur anywhere in the log.
func (l *Log) present(literals []string) []string {
	var out []string
	for _, s := range literals {
		if l.Has(s) {
			out = append(out, s)
		}
	}
	return out
}

// may returns those of the phrases, in small letters, that can occur in whatever
// case: one that is left out does not.
func (l *Log) may(phrases []string) []string {
	if l.folded == nil {
		l.folded = foldedGrams(l.text)
	}
	var out []string
	for _, p := range phrases {
		if l.folded.may(p) {
			out = append(out, p)
		}
	}
	return out
}

// contains is strings.Contains, also quick for a literal that is longer than
// what the processor's instructions search for.
func contains(text, literal string) bool {
	const quick = 60
	if len(literal) <= quick {
		return strings.Contains(text, literal)
	}
	for {
		at := strings.Index(text, literal[:quick])
		if at < 0 || strings.HasPrefix(text[at:], literal) {
			return at >= 0
		}
		text = text[at+1:]
	}
}

// HasAny reports whether one of the literals occurs anywhere in the log.
func (l *Log) HasAny(literals ...string) bool {
	for _, s := range literals {
		if l.Has(s) {
			return true
		}
	}
	return false
}

// HasLine reports whether some line begins with the literal.
func (l *Log) HasLine(prefix string) bool {
	return strings.HasPrefix(l.text, prefix) || l.Has("\n"+prefix)
}

// Whole is line i in full length.
func (l *Log) Whole(i int) string {
	end := len(l.text)
	if i+1 < len(l.starts) {
		end = l.starts[i+1] - 1
	}
	return strings.TrimSuffix(l.text[l.starts[i]:end], "\n")
}

// Line is line i, "" outside the log: for looking ahead and behind.
func (l *Log) Line(i int) string {
	if i < 0 || i >= len(l.Lines) {
		return ""
	}
	return l.Lines[i]
}

// Number is the 1-based number of line i in the original output.
func (l *Log) Number(i int) int {
	if l.Numbers == nil || i < 0 || i >= len(l.Numbers) {
		return i + 1
	}
	return l.Numbers[i]
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

// walk hands every line that is free for the reader to read, which returns how
// many lines it understood from there on; those are claimed and passed over.
func (c *Claims) walk(l *Log, reader string, read func(i int, line string) int) {
	for i := 0; i < len(l.Lines); i++ {
		if !c.Free(reader, i) {
			continue
		}
		if n := read(i, l.Lines[i]); n > 0 {
			c.Take(reader, i, i+n)
			i += n - 1
		}
	}
}

// Free reports whether line i is claimed by nobody, or by the reader itself;
// there is none outside the log.
func (c *Claims) Free(reader string, i int) bool {
	return i >= 0 && i < len(c.owner) && (c.owner[i] == "" || c.owner[i] == reader)
}
