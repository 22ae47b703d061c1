package evidence

import (
	"fmt"
	"slices"
	"strings"

	"fixloop/loopcore"
	"fixloop/loopcore/contract"
)

// Expect is what a filled document is held against.
type Expect struct {
	Rows      []contract.Row         // the failures it is about; nil = not known, then only the document itself is checked
	Place     Place                  // the repository
	Protected func(path string) bool // files that no proposal may edit; nil = TestFile
}

// required are the fields of every proposal.
var required = []string{"AC", "Failure category", "Anchor", "Observed vs expected", "Root cause hypothesis", "Proposed fix", "Risk if applied", "Confidence"}

// optional are fields that a proposal may have.
var optional = []string{"Combines", "Candidates"}

var (
	blockHeading = loopcore.Lazily(`^###[ \t]+Failures?\b[ \t]*(\d*)`)
	fieldLine    = loopcore.Lazily(`^[ \t]*(?:[-*+][ \t]+)?(?:\d+[.)][ \t]+)?(?:\*\*|__)?([A-Za-z][A-Za-z ]{1,30}?)(?:\*\*|__)?[ \t]*:(?:\*\*|__)?[ \t]*(.*)$`)
	summaryShape = loopcore.Lazily(`^Total failures: (\d{1,9}) \| Combined into (\d{1,9}) proposals? \| High-confidence: (\d{1,9}) \| Defer to human: (\d{1,9})$`)
	fenceLine    = loopcore.Lazily("^[ \t]*(`{3,}|~{3,})")
	blankShape   = loopcore.Lazily(`\{\{\s*fill\b`)
	numberShape  = loopcore.Lazily(`\d{1,9}`)
	deferShape   = loopcore.Lazily(`(?i)\bdefer(?:red)? to (?:a )?human\b`)
	weakenShape  = loopcore.Lazily(`(?i)\b(?:skip|disabl(?:e|ing)|delet(?:e|ing)|remov(?:e|ing)|comment(?:ing)? out|xfail|loosen(?:ing)?|weaken(?:ing)?|relax(?:ing)?|quarantin(?:e|ing)|ignor(?:e|ing))\s+(?:the |this |that |these |those |its |all |failing |flaky |existing |unit |strict |exact |entire )*(?:tests?|assert(?:ion)?s?|expectations?|test ?cases?|snapshots?|specs?)\b`)
	referring    = loopcore.Lazily(`(?i)\b(?:so that|makes?|lets?|expected (?:in|by)|asserted (?:in|by)|required by|tested (?:in|by)|covered by|verified by|as in|see)\b[^.;,\n]{0,40}$`)
	negated      = loopcore.Lazily(`(?i)(?:\bnot\b|n't\b|\bnever\b|\bwithout\b|\bno\b|\binstead of\b|\brather than\b)[^.;]{0,40}$`)
)

// proposalBlock is one `### Failure N` with its fields.
type proposalBlock struct {
	n      int
	line   int
	fields map[string]string
	twice  []string
	blank  []string
}

// CheckFilled holds a filled document against its template and the repository
// and names every problem, in the order of the document; none means it holds.
func CheckFilled(markdown string, e Expect) []string {
	c := &checker{expect: e, files: newSources(e.Place), problems: []string{}}
	if c.expect.Protected == nil {
		c.expect.Protected = TestFile
	}
	text := strings.ReplaceAll(markdown, "\r\n", "\n")
	if strings.TrimSpace(text) == NoFailures {
		if len(e.Rows) > 0 {
			c.problem("the document says that verification passed, but there are %d failures", len(e.Rows))
		}
		return c.problems
	}
	blocks, tail, headings := c.scan(strings.Split(text, "\n"))
	if headings != 1 {
		c.problem("%q must stand exactly once, it stands %d times", heading, headings)
	}
	if len(blocks) == 0 {
		c.problem("there is no proposal: each starts with a line like `### Failure 1`")
	}
	var sum contract.ProposalSummary
	covered := map[int]int{}
	for _, b := range blocks {
		c.block(b, &sum, covered)
	}
	sum.Proposals = len(blocks)
	c.coverage(covered, &sum)
	c.summary(tail, sum)
	return c.problems
}

type checker struct {
	expect   Expect
	files    *sources
	problems []string
}

// mostProblems bounds the answer for a document that is wrong everywhere.
const mostProblems = 200

func (c *checker) problem(format string, args ...any) {
	if len(c.problems) < mostProblems {
		c.problems = append(c.problems, loopcore.CleanLine(fmt.Sprintf(format, args...), 400))
	}
}

// scan splits the document into blocks; tail is its last line with text.
// Headings and fields inside code fences are data.
func (c *checker) scan(lines []string) (blocks []*proposalBlock, tail string, headings int) {
	var at *proposalBlock
	field, fenced := "", ""
	for i, line := range lines {
		if strings.TrimSpace(line) != "" {
			tail = strings.TrimSpace(line)
		}
		if m := fenceLine.FindStringSubmatch(line); m != nil {
			if fenced == "" {
				fenced = m[1]
			} else if strings.HasPrefix(m[1], fenced) {
				fenced = ""
			}
		}
		if fenced == "" {
			if strings.TrimRight(line, " \t") == heading {
				headings++
				continue
			}
			if m := blockHeading.FindStringSubmatch(line); m != nil {
				at = &proposalBlock{n: atoi(m[1]), line: i + 1, fields: map[string]string{}}
				blocks, field = append(blocks, at), ""
				continue
			}
		}
		if strings.Contains(line, NoFailures) {
			c.problem("line %d: %q must be the whole document", i+1, NoFailures)
		}
		if at == nil || summaryShape.MatchString(strings.TrimSpace(line)) {
			continue
		}
		if blankShape.MatchString(line) {
			at.blank = append(at.blank, firstOf(fieldName(line), field, "the text"))
		}
		if name := fieldName(line); name != "" && fenced == "" {
			if _, again := at.fields[name]; again {
				at.twice = append(at.twice, name)
			}
			field = name
			at.fields[name] = strings.TrimSpace(fieldLine.FindStringSubmatch(line)[2])
		} else if field != "" {
			at.fields[field] = strings.TrimSpace(at.fields[field] + "\n" + line)
		}
	}
	if fenced != "" {
		c.problem("a code fence is not closed")
	}
	return blocks, tail, headings
}

// fieldName is the template's name of the field that a line starts, or "".
func fieldName(line string) string {
	m := fieldLine.FindStringSubmatch(line)
	if m == nil {
		return ""
	}
	for _, name := range append(slices.Clone(required), optional...) {
		if strings.EqualFold(name, m[1]) {
			return name
		}
	}
	return ""
}

// block checks one proposal and adds it to the sums.
func (c *checker) block(b *proposalBlock, sum *contract.ProposalSummary, covered map[int]int) {
	who := fmt.Sprintf("Failure %d", b.n)
	if b.n == 0 {
		who = fmt.Sprintf("the proposal at line %d", b.line)
		c.problem("%s: the heading gives no failure's number", who)
	}
	for _, name := range required {
		text, there := b.fields[name]
		switch {
		case !there:
			c.problem("%s: the field %q is missing", who, name)
		case text == "":
			c.problem("%s: the field %q is empty", who, name)
		}
	}
	for _, name := range b.twice {
		c.problem("%s: the field %q stands twice", who, name)
	}
	for _, name := range b.blank {
		c.problem("%s: a blank is left in %q", who, name)
	}
	for _, n := range b.numbers() {
		covered[n]++
	}
	deferred := c.confidence(who, b, sum)
	c.words(who, b)
	c.anchor(who, b, deferred)
	c.cause(who, b, deferred)
	c.fix(who, b)
}

// numbers are the failures that the block is about.
func (b *proposalBlock) numbers() []int {
	all := []int{}
	if b.n > 0 {
		all = append(all, b.n)
	}
	for _, d := range numberShape.FindAllString(b.fields["Combines"], 1000) {
		if n := atoi(d); n > 0 && !slices.Contains(all, n) {
			all = append(all, n)
		}
	}
	return all
}

// confidence checks the level and whether it defers to a person, which low
// must and the server's own low can not be talked out of.
func (c *checker) confidence(who string, b *proposalBlock, sum *contract.ProposalSummary) (deferred bool) {
	text := strings.TrimLeft(b.fields["Confidence"], "*_` ")
	level := strings.ToLower(strings.TrimRight(firstWord(text), ".,;:*_`"))
	deferred = deferShape.MatchString(b.fields["Confidence"]) || deferShape.MatchString(b.fields["Proposed fix"])
	switch level {
	case "high":
		sum.High++
	case "medium":
	case "low":
		if !deferred {
			c.problem("%s: low confidence must end with %q", who, deferral)
		}
	default:
		if text != "" {
			c.problem("%s: confidence is %q, not one of high, medium, low", who, firstWord(text))
		}
		return deferred
	}
	if deferred {
		sum.Defer++
	}
	for _, n := range b.numbers() {
		if n > len(c.expect.Rows) {
			continue
		}
		if known := c.expect.Rows[n-1].Confidence; rank(level) > rank(known) {
			c.problem("%s: confidence is %s, but failure %d allows at most %s", who, level, n, known)
		}
	}
	return deferred
}

func firstWord(s string) string {
	if f := strings.Fields(s); len(f) > 0 {
		return f[0]
	}
	return ""
}

// words checks the fields that hold one of a few words.
func (c *checker) words(who string, b *proposalBlock) {
	if text := b.fields["Failure category"]; text != "" && !slices.Contains(categoryWords, strings.Trim(firstWord(text), "`*_.,")) {
		c.problem("%s: failure category is %q, not one of %s", who, firstWord(text), strings.Join(categoryWords, ", "))
	}
	text := b.fields["AC"]
	word := strings.Trim(firstWord(text), "`*_.,")
	if text == "" || strings.EqualFold(word, "untraced") {
		return
	}
	if !strings.HasPrefix(word, "AC-") {
		c.problem("%s: AC is %q, neither an id like AC-1.1 nor untraced", who, word)
	} else if c.expect.Place.Known.status(word) == "untraced" {
		c.problem("%s: %s is not among the acceptance criteria", who, word)
	}
}

// cited are the places that a text names.
func (c *checker) cited(text string) [][2]string {
	var all [][2]string
	for _, m := range placeShape.FindAllStringSubmatch(text, 200) {
		all = append(all, [2]string{m[1], m[2]})
	}
	return all
}

// exists checks one cited place.
func (c *checker) exists(who, field string, at [2]string) bool {
	rel, ok := c.files.relative(at[0])
	if !ok {
		c.problem("%s: %s cites %s, which is outside the repository", who, field, at[0])
		return false
	}
	switch n, line := c.files.lines(rel), atoi(at[1]); {
	case n < 0:
		c.problem("%s: %s cites %s:%s, but there is no such file", who, field, at[0], at[1])
	case line < 1 || line > n:
		c.problem("%s: %s cites %s:%s, but the file has %d lines", who, field, at[0], at[1], n)
	default:
		return true
	}
	return false
}

// anchor must be a line that exists. A failure without one, or whose file is
// gone, is a person's: then the anchor may say so.
func (c *checker) anchor(who string, b *proposalBlock, deferred bool) {
	text := b.fields["Anchor"]
	if text == "" || blankShape.MatchString(text) {
		return
	}
	lost := strings.HasPrefix(strings.ToLower(text), "none") || strings.Contains(text, "(gone)") || strings.Contains(text, "(no such line)")
	if lost && deferred {
		return
	}
	places := c.cited(text)
	if len(places) == 0 {
		c.problem("%s: the anchor names no file:line; without one, %s", who, strings.ToLower(deferral[len("Recommend: "):]))
	}
	for _, at := range places {
		c.exists(who, "the anchor", at)
	}
}

// cause must cite the implementation, unless a person is to find it.
func (c *checker) cause(who string, b *proposalBlock, deferred bool) {
	text := b.fields["Root cause hypothesis"]
	if text == "" || blankShape.MatchString(text) {
		return
	}
	places := c.cited(text)
	if len(places) == 0 && !deferred {
		c.problem("%s: the root cause hypothesis cites no file:line of the implementation", who)
	}
	implementation := len(places) == 0
	for _, at := range places {
		if rel, ok := c.files.relative(at[0]); ok && !c.expect.Protected(rel) {
			implementation = true
		}
		c.exists(who, "the root cause hypothesis", at)
	}
	if !implementation && !deferred {
		c.problem("%s: the root cause hypothesis cites only tests or gate files, not the implementation", who)
	}
}

// pathShape is a path with an extension, with or without a line.
var pathShape = loopcore.Lazily(`[\pL\pN_@+.~/\\-]*[\pL\pN_+-]\.[A-Za-z][A-Za-z0-9]{0,9}\b`)

// fix must not edit what is protected, nor weaken what is tested.
func (c *checker) fix(who string, b *proposalBlock) {
	text := b.fields["Proposed fix"]
	if text == "" || blankShape.MatchString(text) {
		return
	}
	for _, at := range c.cited(text) {
		c.exists(who, "the proposed fix", at)
	}
	told := map[string]bool{}
	for _, m := range pathShape.FindAllStringIndex(text, 500) {
		rel, ok := c.files.relative(text[m[0]:m[1]])
		before := text[max(0, m[0]-60):m[0]]
		if !ok || told[rel] || negated.MatchString(before) || referring.MatchString(before) {
			continue
		}
		told[rel] = true
		if c.files.lines(rel) >= 0 && c.expect.Protected(rel) { // a new test is welcome
			c.problem("%s: the proposed fix edits %s, which is protected; name only the files to edit", who, rel)
		}
	}
	if m := weakenShape.FindStringIndex(text); m != nil && !negated.MatchString(text[max(0, m[0]-60):m[0]]) {
		c.problem("%s: the proposed fix weakens a test (%q)", who, text[m[0]:m[1]])
	}
}

// coverage checks that every failure has exactly one proposal.
func (c *checker) coverage(covered map[int]int, sum *contract.ProposalSummary) {
	sum.Total = len(covered)
	if c.expect.Rows != nil {
		sum.Total = len(c.expect.Rows)
	}
	for _, n := range sortedKeys(covered) {
		if covered[n] > 1 {
			c.problem("failure %d has %d proposals", n, covered[n])
		}
		if c.expect.Rows != nil && n > len(c.expect.Rows) {
			c.problem("there is no failure %d: there are %d", n, len(c.expect.Rows))
		}
	}
	for n := 1; n <= sum.Total && c.expect.Rows != nil; n++ {
		if covered[n] == 0 {
			c.problem("failure %d has no proposal", n)
		}
	}
}

func sortedKeys(m map[int]int) []int {
	keys := make([]int, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// summary checks the last line against what the document holds.
func (c *checker) summary(tail string, want contract.ProposalSummary) {
	m := summaryShape.FindStringSubmatch(tail)
	if m == nil {
		c.problem("the last line must be %q with the numbers of this document", summaryLine(want))
		return
	}
	for i, one := range []struct {
		name string
		want int
	}{{"Total failures", want.Total}, {"Combined into", want.Proposals}, {"High-confidence", want.High}, {"Defer to human", want.Defer}} {
		if got := atoi(m[i+1]); got != one.want {
			c.problem("the totals do not add up: %s says %d, the document has %d", one.name, got, one.want)
		}
	}
}
