package parse

import "bytes"

// IsReport reports whether the beginning of an input looks like a report file
// (XML or JSON) and not like what a runner prints for people.
func IsReport(head []byte) bool {
	head = bytes.TrimLeft(head, " \t\r\n\xef\xbb\xbf")
	if len(head) == 0 {
		return false
	}
	switch {
	case bytes.HasPrefix(head, []byte("<?xml")), bytes.HasPrefix(head, []byte("<test")), bytes.HasPrefix(head, []byte("<checkstyle")),
		bytes.HasPrefix(head, []byte("<TestRun")), bytes.HasPrefix(head, []byte("<assembl")), bytes.HasPrefix(head, []byte("<!--")):
		return true
	}
	if head[0] == '{' {
		inside := bytes.TrimLeft(head[1:], " \t\r\n")
		return len(inside) == 0 || inside[0] == '"' || inside[0] == '}'
	}
	return head[0] == '[' && bytes.HasPrefix(bytes.TrimLeft(head[1:], " \t\r\n"), []byte("{"))
}
