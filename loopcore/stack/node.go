package stack

import (
	"strings"
)

// node is a value of a YAML, JSON or TOML file with the line it stands on.
// Every method is safe on nil, so that a path into a file of any shape reads as
// one expression.
type node struct {
	line  int
	text  string
	block bool // a block scalar: its text starts on the line after
	keys  []string
	vals  []*node // of a map, beside keys
	items []*node
	kind  nodeKind
	koff  []int // line of each key
}

type nodeKind int

const (
	isNull nodeKind = iota
	isScalar
	isMap
	isList
)

// maxNodes bounds one parsed file, aliases expanded: a few lines of YAML can
// name a billion nodes.
const maxNodes = 60000

func (n *node) put(key string, line int, v *node) {
	n.keys, n.vals, n.koff = append(n.keys, key), append(n.vals, v), append(n.koff, line)
}

// get follows keys down; the last of a repeated key wins, as in YAML and JSON.
func (n *node) get(keys ...string) *node {
	for _, k := range keys {
		if n == nil || n.kind != isMap {
			return nil
		}
		var next *node
		for i := len(n.keys) - 1; i >= 0; i-- {
			if n.keys[i] == k {
				next = n.vals[i]
				break
			}
		}
		n = next
	}
	return n
}

// str returns a scalar's text, "" for anything else.
func (n *node) str() string {
	if n == nil || n.kind != isScalar {
		return ""
	}
	return n.text
}

// at returns the line, 0 for nil.
func (n *node) at() int {
	if n == nil {
		return 0
	}
	return n.line
}

// list returns the items of a list, or the scalar as a list of one.
func (n *node) list() []*node {
	switch {
	case n == nil:
		return nil
	case n.kind == isList:
		return n.items
	case n.kind == isScalar:
		return []*node{n}
	}
	return nil
}

// strs returns the scalars of list.
func (n *node) strs() []string {
	var out []string
	for _, it := range n.list() {
		if it != nil && it.kind == isScalar {
			out = append(out, it.text)
		}
	}
	return out
}

// each calls f for every pair of a map, in file order.
func (n *node) each(f func(key string, line int, v *node)) {
	if n == nil || n.kind != isMap {
		return
	}
	for i, k := range n.keys {
		f(k, n.koff[i], n.vals[i])
	}
}

// has says whether a map has the key, whatever its value.
func (n *node) has(key string) bool {
	if n == nil {
		return false
	}
	for _, k := range n.keys {
		if k == key {
			return true
		}
	}
	return false
}

// env reads a map of scalars as variables.
func (n *node) env() map[string]string {
	out := map[string]string{}
	n.each(func(k string, _ int, v *node) {
		if v != nil && v.kind == isScalar {
			out[k] = v.text
		}
	})
	return out
}

// lineOf returns the 1-based line of the first line that contains s, or 0.
func lineOf(text, s string) int {
	i := strings.Index(text, s)
	if i < 0 {
		return 0
	}
	return 1 + strings.Count(text[:i], "\n")
}
