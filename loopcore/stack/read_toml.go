package stack

import (
	"fmt"

	"github.com/pelletier/go-toml/v2/unstable"
)

// readTOML reads a TOML file with its lines. What stands before a syntax error
// is returned beside the error.
func readTOML(data []byte) (root *node, err error) {
	root = &node{kind: isMap, line: 1}
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("broken TOML: %v", p)
		}
	}()
	var p unstable.Parser
	p.Reset(data)
	cur, count := root, 0
	for p.NextExpression() {
		if count++; count > maxNodes {
			break
		}
		e := p.Expression()
		switch e.Kind {
		case unstable.Table:
			cur = tomlPath(&p, root, e.Key(), false)
		case unstable.ArrayTable:
			cur = tomlPath(&p, root, e.Key(), true)
		case unstable.KeyValue:
			tomlPair(&p, cur, e, 0)
		}
	}
	return root, p.Error()
}

func tomlLine(p *unstable.Parser, n *unstable.Node) int {
	if n.Raw.Length == 0 && n.Raw.Offset == 0 {
		return 0
	}
	return p.Shape(n.Raw).Start.Line
}

// tomlPath walks to the table named by key, making what is missing.
func tomlPath(p *unstable.Parser, root *node, key unstable.Iterator, array bool) *node {
	cur := root
	for key.Next() {
		k, last := string(key.Node().Data), key.IsLast()
		line := tomlLine(p, key.Node())
		next := cur.get(k)
		if next == nil || (next.kind != isMap && next.kind != isList) {
			next = &node{kind: isMap, line: line}
			if last && array {
				next.kind = isList
			}
			cur.put(k, line, next)
		}
		if next.kind == isList {
			if last && array || len(next.items) == 0 {
				next.items = append(next.items, &node{kind: isMap, line: line})
			}
			next = next.items[len(next.items)-1]
		}
		if next == nil || next.kind != isMap {
			next = &node{kind: isMap, line: line}
		}
		cur = next
	}
	return cur
}

func tomlPair(p *unstable.Parser, cur *node, e *unstable.Node, depth int) {
	key := e.Key()
	for key.Next() {
		k, line := string(key.Node().Data), tomlLine(p, key.Node())
		if key.IsLast() {
			v := tomlValue(p, e.Value(), depth+1)
			if v != nil && v.line == 0 {
				v.line = line
			}
			cur.put(k, line, v)
			return
		}
		next := cur.get(k)
		if next == nil || next.kind != isMap {
			next = &node{kind: isMap, line: line}
			cur.put(k, line, next)
		}
		cur = next
	}
}

func tomlValue(p *unstable.Parser, v *unstable.Node, depth int) *node {
	if depth > 64 {
		return nil
	}
	n := &node{line: tomlLine(p, v)}
	switch v.Kind {
	case unstable.Array:
		n.kind = isList
		for it := v.Children(); it.Next(); {
			if it.Node().Kind != unstable.Comment {
				n.items = append(n.items, tomlValue(p, it.Node(), depth+1))
			}
		}
	case unstable.InlineTable:
		n.kind = isMap
		for it := v.Children(); it.Next(); {
			if it.Node().Kind == unstable.KeyValue {
				tomlPair(p, n, it.Node(), depth+1)
			}
		}
	default:
		n.kind, n.text = isScalar, string(v.Data)
	}
	return n
}
