package server

import (
	"fmt"
	"strings"
)

// misfit puts into a client's words what the library says of params that do
// not have the shape of their method, which it tells in those of Go:
//
//	unparsable ping request: json: cannot unmarshal array into Go struct field T.params._meta of type mcp.Meta
//
// ok is false for any other message.
func misfit(message string) (why string, ok bool) {
	rest, ok := strings.CutPrefix(message, "unparsable ")
	if !ok {
		return "", false
	}
	_, rest, ok = strings.Cut(rest, ": ")
	if !ok {
		return "", false
	}
	what, where, ok := strings.Cut(strings.TrimPrefix(rest, "json: cannot unmarshal "), " into Go ")
	if !ok {
		return "params do not have the shape of this method: " + rest, true
	}
	field := "params"
	if words := strings.Fields(where); len(words) > 2 && words[0] == "struct" && words[1] == "field" {
		if at := strings.Index(words[2], "params"); at >= 0 {
			field = words[2][at:]
		}
	}
	if strings.HasPrefix(what, "number ") { // with the number: it does not fit
		return fmt.Sprintf("%s: the %s is out of range, or no whole number", field, what), true
	}
	return fmt.Sprintf("%s has the wrong type: %s", field, what), true
}
