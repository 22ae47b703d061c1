package stack

import (
	"fmt"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"fixloop/loopcore"
)

// readYAML reads the first document of a YAML file with its lines, aliases and
// merge keys resolved.
func readYAML(data []byte) (n *node, err error) {
	// The parser indexes its token list without checks on some broken input:
	// a file that people wrote must not end the server.
	defer func() {
		if p := recover(); p != nil {
			n, err = nil, fmt.Errorf("broken YAML: %v", p)
		}
	}()
	if loopcore.TooDeep(data) {
		return nil, fmt.Errorf("it nests deeper than %d levels", loopcore.MaxNesting)
	}
	f, err := parser.ParseBytes(data, 0)
	if err != nil {
		return nil, err
	}
	c := &yamlReader{anchors: map[string]*node{}}
	for _, d := range f.Docs {
		if d.Body != nil {
			return c.node(d.Body, 0), nil
		}
	}
	return nil, nil
}

type yamlReader struct {
	anchors map[string]*node
	nodes   int
}

func (c *yamlReader) node(a ast.Node, depth int) *node {
	c.nodes++
	if a == nil || depth > 64 || c.nodes > maxNodes {
		return nil
	}
	line := 0
	if t := a.GetToken(); t != nil && t.Position != nil {
		line = t.Position.Line
	}
	switch v := a.(type) {
	case *ast.MappingNode:
		n := &node{kind: isMap, line: line}
		for _, kv := range v.Values {
			c.pair(n, kv, depth)
		}
		return n
	case *ast.MappingValueNode:
		n := &node{kind: isMap, line: line}
		c.pair(n, v, depth)
		return n
	case *ast.SequenceNode:
		n := &node{kind: isList, line: line}
		for _, it := range v.Values {
			n.items = append(n.items, c.node(it, depth+1))
		}
		return n
	case *ast.AnchorNode:
		n := c.node(v.Value, depth+1)
		c.anchors[v.Name.String()] = n
		return n
	case *ast.AliasNode:
		return c.anchors[v.Value.String()]
	case *ast.TagNode:
		n := c.node(v.Value, depth+1)
		if n != nil && v.Start != nil && v.Start.Value == "!reference" {
			n.text = "!reference"
		}
		return n
	case *ast.NullNode:
		return &node{kind: isNull, line: line}
	case *ast.LiteralNode:
		return &node{kind: isScalar, line: line, text: v.Value.Value, block: true}
	case *ast.StringNode:
		return &node{kind: isScalar, line: line, text: v.Value}
	}
	if t := a.GetToken(); t != nil {
		return &node{kind: isScalar, line: line, text: t.Value}
	}
	return nil
}

func (c *yamlReader) pair(n *node, kv *ast.MappingValueNode, depth int) {
	if kv == nil || kv.Key == nil {
		return
	}
	v := c.node(kv.Value, depth+1)
	if _, merge := kv.Key.(*ast.MergeKeyNode); merge {
		for _, m := range append(v.list(), v) {
			m.each(func(k string, line int, mv *node) {
				if !n.has(k) {
					n.put(k, line, mv)
				}
			})
		}
		return
	}
	key, line := "", 0
	if t := kv.Key.GetToken(); t != nil {
		key = t.Value
		if t.Position != nil {
			line = t.Position.Line
		}
	}
	if q, ok := kv.Key.(*ast.StringNode); ok {
		key = q.Value
	}
	n.put(key, line, v)
}
