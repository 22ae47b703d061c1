package guard

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"fixloop/loopcore"
)

// matrixCase is one change of a project of the matrix.
type matrixCase struct {
	guardCase
	archive string // as one archive, to tell its language
	open    bool   // known not to be judged as labelled yet
	found   []loopcore.Finding
}

// judged is the matrix with what the guard finds in it, for the tests that ask for it.
var judged = sync.OnceValues(func() ([]matrixCase, error) {
	cases, err := readMatrix()
	for k := range cases {
		cases[k].found = Check(cases[k].input)
	}
	return cases, err
})

func matrix(t *testing.T) []matrixCase {
	t.Helper()
	cases, err := judged()
	if err != nil {
		t.Fatal(err)
	}
	return cases
}

// readMatrix reads testdata/guard/matrix: one archive for each framework or
// kind of settings. Its files "base PATH" are the project; each other section
// is one change of it, headed
//
//	[open] cheat|human|benign RULE FILE… [min=human]
//
// and made of steps: "@ edit PATH", a text, "@ to", its replacement; "@ add
// PATH" with the text of a new file; "@ before PATH", "@ after PATH" and "@ file
// PATH" with a text for either tree or both; "@ move A B"; "@ remove PATH"; and
// the set-up lines of the other cases, as "@ mode: …".
func readMatrix() ([]matrixCase, error) {
	paths, _ := filepath.Glob(filepath.Join(corpus, "matrix", "*.txtar"))
	if len(paths) < 40 {
		return nil, fmt.Errorf("only %d frameworks in the matrix", len(paths))
	}
	var out []matrixCase
	for _, p := range paths {
		ar, err := txtar.ParseFile(p)
		if err != nil {
			return nil, err
		}
		base, n := map[string]string{}, map[string]int{}
		for _, f := range ar.Files {
			if name, ok := strings.CutPrefix(f.Name, "base "); ok {
				base[name] = string(f.Data)
				continue
			}
			head := strings.Fields(f.Name)
			open := head[0] == "open"
			if open {
				head = head[1:]
			}
			n[head[1]]++
			id := fmt.Sprintf("%s/%s-%s-%d", strings.TrimSuffix(filepath.Base(p), ".txtar"), head[1], head[0], n[head[1]])
			made, err := applySteps(base, head, string(f.Data))
			if err != nil {
				return nil, fmt.Errorf("%s: %w", id, err)
			}
			out = append(out, matrixCase{guardCase: caseOf(id, made), archive: string(txtar.Format(made)), open: open})
		}
	}
	return out, nil
}

// applySteps makes the archive of one change.
func applySteps(base map[string]string, head []string, steps string) (*txtar.Archive, error) {
	before, after := map[string]string{}, map[string]string{}
	for p, s := range base {
		before[p], after[p] = s, s
	}
	var comment strings.Builder
	fmt.Fprintf(&comment, "label: %s\nrules: %s\n", head[0], head[1])
	var files []string
	for _, w := range head[2:] {
		if sev, ok := strings.CutPrefix(w, "min="); ok {
			fmt.Fprintf(&comment, "min: %s\n", sev)
			continue
		}
		files = append(files, w)
	}
	fmt.Fprintf(&comment, "files: %s\n", strings.Join(files, " "))
	parts := strings.Split("\n"+steps, "\n@ ")
	for k := 1; k < len(parts); k++ {
		line, body, _ := strings.Cut(parts[k], "\n")
		w := strings.Fields(line)
		switch w[0] {
		case "edit":
			_, to, _ := strings.Cut(parts[k+1], "\n")
			if to = strings.TrimSuffix(to, "\n"); k+2 < len(parts) {
				_, to, _ = strings.Cut(parts[k+1], "\n")
			}
			k++
			if !strings.Contains(after[w[1]], body) {
				return nil, fmt.Errorf("%s does not hold %q", w[1], body)
			}
			after[w[1]] = strings.Replace(after[w[1]], body, to, 1)
		case "add", "after":
			after[w[1]] = body + "\n"
		case "before":
			before[w[1]] = body + "\n"
		case "file":
			before[w[1]], after[w[1]] = body+"\n", body+"\n"
		case "move":
			after[w[2]] = after[w[1]]
			delete(after, w[1])
		case "remove":
			delete(after, w[1])
		default:
			fmt.Fprintln(&comment, line)
		}
	}
	ar := &txtar.Archive{Comment: []byte(comment.String())}
	for p, s := range before {
		if now, ok := after[p]; ok && now == s {
			ar.Files = append(ar.Files, txtar.File{Name: "same/" + p, Data: []byte(s)})
			delete(after, p)
			continue
		}
		ar.Files = append(ar.Files, txtar.File{Name: "before/" + p, Data: []byte(s)})
	}
	for p, s := range after {
		ar.Files = append(ar.Files, txtar.File{Name: "after/" + p, Data: []byte(s)})
	}
	return ar, nil
}

// TestMatrix tries every way to cheat in every framework, and its honest twins.
func TestMatrix(t *testing.T) {
	for _, c := range matrix(t) {
		switch ok, _ := c.holds(c.found); {
		case !ok && !c.open:
			t.Errorf("%s (%s) %s:%s", c.id, c.label, c.files, describe(c.found))
		case ok && c.open:
			t.Errorf("%s is judged as labelled: it is no longer open", c.id)
		}
	}
}

// TestTwins asks of each rule a change that it reports and one of the same kind
// that it must let pass.
func TestTwins(t *testing.T) {
	fires, silent := map[string]bool{}, map[string]bool{}
	note := func(c guardCase, rules []string, found []loopcore.Finding) {
		for _, r := range rules {
			if c.label == "benign" {
				silent[r] = true
				continue
			}
			for _, f := range found {
				fires[r] = fires[r] || f.Rule == r && f.Severity != loopcore.SevWarn
			}
		}
	}
	for _, c := range matrix(t) {
		note(c.guardCase, c.rules, c.found)
	}
	dirs, _ := os.ReadDir(corpus)
	for _, dir := range dirs {
		paths, _ := filepath.Glob(filepath.Join(corpus, dir.Name(), "*.txtar"))
		for _, p := range paths {
			if dir.Name() == "matrix" {
				break
			}
			c := readCase(t, p)
			note(c, append(c.rules, dir.Name()), Check(c.input))
		}
	}
	for _, r := range Rules {
		if r.ID == "T00" || r.ID[0] == 'D' { // TestFrozen and TestInventory show both
			continue
		}
		if !fires[r.ID] {
			t.Errorf("no change shows rule %s: add one to testdata/guard", r.ID)
		}
		if !silent[r.ID] {
			t.Errorf("no honest twin shows what rule %s lets pass: add one to testdata/guard", r.ID)
		}
	}
}
