package parse

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"fixloop/loopcore"
)

// saidPairs find what was compared in the one-line message of a failed
// assertion, of whatever runner.
var saidPairs = []*loopcore.Expression{
	loopcore.Lazily(`(?i)\bexpected: (.+?) (?:received|actual|got): (.+)$`),
	loopcore.Lazily(`(?i)\bexpected:? ?<(.+?)> but was:? ?<(.+?)>`),
	loopcore.Lazily(`\bleft: (.+?) right: (.+)$`),
	loopcore.Lazily(`\bassert (.+?) == (.+)$`),
	loopcore.Lazily(`(\S+) !==? (\S+)$`),
	loopcore.Lazily(`\bgot:? (.+?)[,;]? (?:want|expected):? (.+)$`),
	loopcore.Lazily(`\bthat (.+?) (?:matches expected|is identical to) (.+?)\.?$`),
	loopcore.Lazily(`\bexpected (.+?) to (?:be|equal|deeply equal|strictly equal|deep equal) (.+?)(?: //.*)?$`),
}

// longestDifference is how long a change of a text may be to tell a cause.
const longestDifference = 12

// difference tells in what a value was other than it was to be, so that the same
// fault shows in other values too: by how much a number is off, which few
// characters of a text came, went or changed. "" where that tells nothing: off by
// one is what many faults are.
func difference(f loopcore.Failure) string {
	for _, re := range saidPairs {
		if m := re.FindStringSubmatch(f.Message); m != nil {
			if d := differs(m[1], m[2]); d != "" {
				return d
			}
		}
	}
	minus, plus := diffLines(f.Detail)
	for k := range min(len(minus), len(plus)) {
		if d := differs(minus[k], plus[k]); d != "" {
			return d
		}
	}
	return ""
}

// diffLines are the lines that a diff takes away and those that it puts there,
// without its legend and those that only open or close what holds others.
func diffLines(detail string) (minus, plus []string) {
	for line := range strings.SplitSeq(detail, "\n") {
		s := strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(line), "E "))
		if s == "" {
			continue
		}
		text := strings.TrimSpace(s[1:])
		if text == "" || strings.HasPrefix(text, "Expected") || strings.HasPrefix(text, "Received") || strings.HasPrefix(text, "Actual") ||
			strings.ContainsAny(text[len(text)-1:], "[{(") || strings.Trim(text, "[]{}(), ") == "" || strings.HasPrefix(text, "--") || strings.HasPrefix(text, "++") {
			continue
		}
		switch s[0] {
		case '-':
			minus = append(minus, text)
		case '+':
			plus = append(plus, text)
		}
	}
	return minus, plus
}

// longestCompared is how long two texts may be to be compared letter by letter.
const longestCompared = 160

// differs is the difference of two values.
func differs(a, b string) string {
	a, b = strings.Trim(a, "\"'`., "), strings.Trim(b, "\"'`., ")
	x, errX := strconv.ParseFloat(a, 64)
	y, errY := strconv.ParseFloat(b, 64)
	if errX == nil && errY == nil {
		if d := y - x; math.Abs(d) > 1 && !math.IsInf(d, 0) {
			return "off by " + strconv.FormatFloat(d, 'g', 6, 64)
		}
		return ""
	}
	if a == b || a == "" || b == "" || max(len(a), len(b)) > longestCompared {
		return ""
	}
	var told []string
	size := 0
	for _, e := range edits(a, b) {
		if e.was != "" && e.is != "" && strings.Trim(e.was+e.is, "0123456789.") == "" {
			return "" // another number, in a text
		}
		if t := "text " + e.was + " → " + e.is; !slices.Contains(told, t) {
			told = append(told, t)
			size += len(e.was) + len(e.is)
		}
	}
	if size > longestDifference || size*2 > len(a)+len(b) {
		return ""
	}
	return strings.Join(told, ", ")
}

// edit is a piece of one text and what stands in its place in another.
type edit struct{ was, is string }

// edits are the least changes that make b of a.
func edits(a, b string) []edit {
	common := make([][]int, len(a)+1) // of a[i:] and b[j:]
	for i := range common {
		common[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				common[i][j] = common[i+1][j+1] + 1
			} else {
				common[i][j] = max(common[i+1][j], common[i][j+1])
			}
		}
	}
	var out []edit
	var e edit
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j]:
			if e != (edit{}) {
				out, e = append(out, e), edit{}
			}
			i, j = i+1, j+1
		case j == len(b) || i < len(a) && common[i+1][j] >= common[i][j+1]:
			e.was += a[i : i+1]
			i++
		default:
			e.is += b[j : j+1]
			j++
		}
	}
	if e != (edit{}) {
		out = append(out, e)
	}
	return out
}
