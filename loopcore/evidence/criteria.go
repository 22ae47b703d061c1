package evidence

import (
	"bytes"
	"slices"

	"fixloop/loopcore"
)

// Criteria are the acceptance criteria of a piece of work, by id.
type Criteria struct{ ids []string }

// IDs returns the ids in the order of the file.
func (c *Criteria) IDs() []string { return slices.Clone(c.ids) }

// criterionHeading is `### AC-1.1` in Markdown, at any level, with or without
// a title.
var criterionHeading = loopcore.Lazily(`(?m)^#{1,6}[ \t]+(?:\*\*|\x60)?(AC-[A-Za-z0-9]+(?:[.-][A-Za-z0-9]+)*)`)

// ParseCriteria reads an acceptance criteria file: Markdown with one heading a
// criterion, or the frozen specification as JSON with acceptance_criteria[].
// A file without any criterion is refused: rows can not be held against it.
func ParseCriteria(data []byte) (*Criteria, error) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	c := &Criteria{}
	if trimmed := bytes.TrimSpace(data); len(trimmed) > 0 && trimmed[0] == '{' {
		o, err := decode(trimmed)
		if err != nil {
			return nil, loopcore.Refuse(loopcore.CodeBadEvidence, "give the Markdown or the frozen JSON of the acceptance criteria", "the acceptance criteria are not valid JSON")
		}
		c.ids = criteriaIn(o)
	} else {
		for _, m := range criterionHeading.FindAllSubmatch(bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n")), -1) {
			c.add(string(m[1]))
		}
	}
	if len(c.ids) == 0 {
		return nil, loopcore.Refuse(loopcore.CodeBadEvidence, "give a file with headings like `### AC-1.1`, or leave acceptance_criteria_path out", "the acceptance criteria file names no criterion")
	}
	return c, nil
}

// criteriaIn finds the list in a specification, which may be wrapped.
func criteriaIn(o object) []string {
	c := &Criteria{}
	list, _ := o["acceptance_criteria"].([]any)
	for _, e := range list {
		if one, ok := e.(object); ok {
			c.add(firstOf(one.str("criterion_id"), one.str("id")))
		}
	}
	if len(c.ids) == 0 {
		for _, wrap := range []string{"specification", "spec", "feature", "feature_spec"} {
			if inner, ok := o[wrap].(object); ok {
				if ids := criteriaIn(inner); len(ids) > 0 {
					return ids
				}
			}
		}
	}
	return c.ids
}

func (c *Criteria) add(id string) {
	if id != "" && !slices.Contains(c.ids, id) {
		c.ids = append(c.ids, id)
	}
}

// status of a row's criterion: unchecked without criteria.
func (c *Criteria) status(id string) string {
	switch {
	case c == nil:
		return "unchecked"
	case slices.Contains(c.ids, id):
		return "traced"
	}
	return "untraced"
}
