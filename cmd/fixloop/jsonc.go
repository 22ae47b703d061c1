package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"

	"fixloop/loopcore"
)

// insertEntry adds "name": entry to the object at the top-level key of a JSON
// document and leaves every other byte as it is, comments and trailing commas
// of the editors' dialect included. Where there is an entry of that name, it
// returns that one's text and no document.
func insertEntry(data []byte, key, name string, entry any) (out []byte, there string, err error) {
	if len(bytes.TrimSpace(data)) == 0 {
		data = []byte("{\n}\n")
	}
	s := &jsonc{data: data}
	top, end, err := s.object(s.space(0))
	if err == nil && s.space(end) != len(data) {
		err = errors.New("there is text behind the closing brace")
	}
	if err != nil {
		return nil, "", err
	}
	indent := "  "
	if m := firstMember.FindStringSubmatch(string(data)); m != nil {
		indent = m[1]
	}
	at, ok := top[key]
	if !ok {
		inner, err := marshal(map[string]any{name: entry}, indent, indent)
		return s.insert(s.space(0), len(top) > 0, indent, "", key, inner), "", err
	}
	members, _, err := s.object(at.from)
	if err != nil {
		return nil, "", errors.New(key + " is no object")
	}
	if old, ok := members[name]; ok {
		return nil, string(data[old.from:old.to]), nil
	}
	inner, err := marshal(entry, indent+indent, indent)
	return s.insert(at.from, len(members) > 0, indent+indent, indent, name, inner), "", err
}

var (
	firstMember = loopcore.Lazily(`^\s*\{\s*?\n([ \t]+)"`)
	words       = loopcore.Lazily(`\[\s*"[^"\\\]]*"(,\s*"[^"\\\]]*")*\s*\]`)
)

// marshal is indented JSON, to stand at that depth. No word of ours holds a
// quote, a bracket or a run of blanks; where one did, its list stays as it is.
func marshal(v any, prefix, indent string) (string, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent(prefix, indent)
	err := enc.Encode(v)
	text := words.ReplaceAllStringFunc(strings.TrimSpace(b.String()), func(list string) string {
		list = strings.Join(strings.Fields(list), " ") // a list of words stays on one line
		return "[" + strings.Trim(list, "[] ") + "]"
	})
	return text, err
}

// span is where a value stands.
type span struct{ from, to int }

// jsonc reads JSON with comments and trailing commas by position.
type jsonc struct{ data []byte }

// insert writes "key": value as the first member of the object that begins at.
func (s *jsonc) insert(at int, more bool, indent, outer, key, value string) []byte {
	rest := s.data[at+1:]
	text := "\n" + indent + quote(key) + ": " + value
	switch {
	case more:
		text += ","
		if !bytes.HasPrefix(bytes.TrimLeft(rest, " \t"), []byte("\n")) {
			text += "\n" + indent
			rest = bytes.TrimLeft(rest, " \t")
		}
	case !bytes.HasPrefix(bytes.TrimLeft(rest, " \t\r"), []byte("\n")):
		text += "\n" + outer
		rest = bytes.TrimLeft(rest, " \t")
	}
	out := append([]byte{}, s.data[:at+1]...)
	return append(append(out, text...), rest...)
}

func quote(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}

var errCut = errors.New("it is no JSON object, or cut off")

// space returns the next position that is neither white space nor comment.
func (s *jsonc) space(i int) int {
	for i < len(s.data) {
		rest := s.data[i:]
		switch {
		case strings.IndexByte(" \t\r\n", rest[0]) >= 0:
			i++
		case bytes.HasPrefix(rest, []byte("//")):
			n := bytes.IndexByte(rest, '\n')
			if n < 0 {
				return len(s.data)
			}
			i += n
		case bytes.HasPrefix(rest, []byte("/*")):
			n := bytes.Index(rest, []byte("*/"))
			if n < 0 {
				return len(s.data)
			}
			i += n + 2
		case bytes.HasPrefix(rest, []byte("\xef\xbb\xbf")):
			i += 3
		default:
			return i
		}
	}
	return i
}

// object reads the object that begins at i: where each member's value stands,
// and the position behind the object.
func (s *jsonc) object(i int) (map[string]span, int, error) {
	if s.at(i) != '{' {
		return nil, i, errCut
	}
	members := map[string]span{}
	for i = s.space(i + 1); s.at(i) != '}'; i = s.space(i) {
		end, err := s.text(i)
		if err != nil {
			return nil, i, err
		}
		var key string
		if json.Unmarshal(s.data[i:end], &key) != nil {
			return nil, i, errCut
		}
		if i = s.space(end); s.at(i) != ':' {
			return nil, i, errCut
		}
		from := s.space(i + 1)
		if i, err = s.value(from, 0); err != nil {
			return nil, i, err
		}
		members[key] = span{from, i}
		i = s.space(i)
		if s.at(i) == ',' {
			i++
		} else if s.at(i) != '}' {
			return nil, i, errCut
		}
	}
	return members, i + 1, nil
}

// value returns the position behind the value that begins at i.
func (s *jsonc) value(i, depth int) (int, error) {
	if depth > 1000 {
		return i, errors.New("it is nested too deeply")
	}
	switch s.at(i) {
	case '"':
		return s.text(i)
	case '{', '[':
		for i = s.space(i + 1); s.at(i) != '}' && s.at(i) != ']'; i = s.space(i) {
			if c := s.at(i); c == ',' || c == ':' {
				i++
				continue
			}
			end, err := s.value(i, depth+1)
			if err != nil {
				return end, err
			}
			i = end
		}
		return i + 1, nil
	}
	from := i
	for strings.IndexByte("+-.0123456789abcdefghijklmnopqrstuvwxyzE", s.at(i)) >= 0 && s.at(i) != 0 {
		i++
	}
	if i == from {
		return i, errCut
	}
	return i, nil
}

// text returns the position behind the string that begins at i.
func (s *jsonc) text(i int) (int, error) {
	if s.at(i) != '"' {
		return i, errCut
	}
	for i++; i < len(s.data); i++ {
		switch s.data[i] {
		case '\\':
			i++
		case '"':
			return i + 1, nil
		}
	}
	return i, errCut
}

// at is the byte at i, 0 behind the end.
func (s *jsonc) at(i int) byte {
	if i < len(s.data) {
		return s.data[i]
	}
	return 0
}
