package server

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

func FuzzMessage(f *testing.F) {
	for _, s := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"ping"}`, `{"jsonrpc":"2.0","method":"x","params":null}`, `{"jsonrpc":"2.0","id":"a","result":{}}`,
		`[]`, `{}`, `{"jsonrpc":"2.0","id":{},"method":"x"}`, `{"jsonrpc":2,"id":1}`, "\x00", `{"jsonrpc":"2.0","id":null,"error":1}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(bytes.TrimSpace(b)) == 0 {
			return // the reader gives no such line
		}
		m, bad := parseMessage(b)
		if bad != nil {
			if answer := errorLine(bad.id, bad.code, bad.why, nil); !json.Valid(answer) || bad.code == 0 || bad.why == "" {
				t.Fatalf("%q", answer)
			}
			return
		}
		if m.method == "" && m.result == nil && m.fault == nil {
			t.Fatalf("%q is no message, and was taken for one", b)
		}
		if m.id != nil && key(m.id) == "" {
			t.Fatalf("%q has an id without a key", b)
		}
		progressToken(m.params)
	})
}

// However the bytes arrive, lines come out whole, and a long one costs itself.
func TestLines(t *testing.T) {
	long := strings.Repeat("x", 300)
	in := "\ufeffone\n\n  \r\ntwo\r\n" + long + "\nthree\n" + long + long + "\n" + strings.Repeat("y", 200) + "\nlast"
	for name, r := range map[string]io.Reader{"at once": strings.NewReader(in), "byte by byte": iotest.OneByteReader(strings.NewReader(in)),
		"with the end": iotest.DataErrReader(strings.NewReader(in))} {
		l := newLines(r, 200)
		var got []string
		for {
			line, err := l.next()
			if long := (*tooLong)(nil); errors.As(err, &long) {
				got = append(got, "LONG")
				continue
			}
			if err != nil {
				if err != io.EOF {
					t.Errorf("%s: %v", name, err)
				}
				break
			}
			got = append(got, string(line))
		}
		// 200 bytes and a newline are one too many
		if want := "one two LONG three LONG LONG last"; strings.Join(got, " ") != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// The answer to a message that is too long goes to who waits for it, where the
// id comes before what is long.
func TestLongMessageKeepsItsID(t *testing.T) {
	for head, want := range map[string]string{
		`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"arguments":{"text":"xx`: "7",
		`{"id":"a","params":{}`:          `"a"`,
		`{"params":{"id":1},"method":"x`: "",
		`{"id":{},"x":[`:                 "",
		`[{"id":1`:                       "",
		"xx":                             "",
	} {
		if got := string((&tooLong{head: []byte(head)}).id()); got != want {
			t.Errorf("%s: %q, want %q", head, got, want)
		}
	}
}

// A notification is never answered, whatever is wrong with its params.
func TestNotificationWithOddParams(t *testing.T) {
	m, bad := parseMessage([]byte(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":5}`))
	if bad != nil || m.id != nil || m.params != nil {
		t.Errorf("%+v, %+v", m, bad)
	}
	if _, bad = parseMessage([]byte(`{"jsonrpc":"2.0","id":1,"method":"ping","params":5}`)); bad == nil {
		t.Error("a request with such params was taken")
	}
}

func TestFolder(t *testing.T) {
	for uri, want := range map[string]string{"file:///home/a%20b": "/home/a b", "file://": "", "https://x/y": "", "%zz": "", "/plain": ""} {
		if got := folder(uri); got != want {
			t.Errorf("%s: %q, want %q", uri, got, want)
		}
	}
}
