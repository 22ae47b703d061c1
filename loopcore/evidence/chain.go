package evidence

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"sort"
	"strconv"
	"time"

	"fixloop/loopcore"
)

// The kinds of record in a chain.
const (
	RecordSession    = "session"    // opened
	RecordRun        = "run"        // a run ended, with the guard's findings
	RecordDecision   = "decision"   // decided, before its action
	RecordAction     = "action"     // the action ended
	RecordCheckpoint = "checkpoint" // accepted or discarded
	RecordWaiver     = "waiver"     // a person accepted a finding
	RecordEnd        = "end"        // the session's outcome
	RecordReopen     = "reopen"     // a person accepted what it had ended on
)

// Record is one link: what happened, bound to all that happened before it.
// Hash = hex(SHA-256(previous record's hash bytes || canonical JSON of the
// record without its hash)); the first record has no predecessor.
type Record struct {
	N    int             `json:"n"` // from 1
	Kind string          `json:"kind"`
	Ref  string          `json:"ref"` // id of what it is about
	At   time.Time       `json:"at"`
	Body json.RawMessage `json:"body"` // canonical JSON
	Hash string          `json:"hash"`
}

// Link builds the record after prev (the zero Record before the first), with
// body as canonical JSON.
func Link(prev Record, kind, ref string, at time.Time, body any) (Record, error) {
	raw, err := Canonical(body)
	if err != nil {
		return Record{}, fmt.Errorf("chain: %s %s: %w", kind, ref, err)
	}
	r := Record{N: prev.N + 1, Kind: kind, Ref: ref, At: Stamp(at), Body: raw}
	r.Hash, err = r.digest(prev.Hash)
	return r, err
}

// Stamp is the form in which times are kept: UTC, whole milliseconds, so that
// they read back from JSON and from the store as they were.
func Stamp(t time.Time) time.Time { return t.UTC().Truncate(time.Millisecond) }

// digest returns the hash of r after the record with hash prev.
func (r Record) digest(prev string) (string, error) {
	before, err := hex.DecodeString(prev)
	if err != nil {
		return "", fmt.Errorf("previous hash: %w", err)
	}
	body, err := Canonical(struct {
		N    int             `json:"n"`
		Kind string          `json:"kind"`
		Ref  string          `json:"ref"`
		At   string          `json:"at"`
		Body json.RawMessage `json:"body"`
	}{r.N, r.Kind, r.Ref, r.At.UTC().Format(time.RFC3339Nano), r.Body})
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(append(before, body...))
	return hex.EncodeToString(sum[:]), nil
}

// Verify recomputes the chain. It returns the index of the first record that
// does not follow from those before it, and why; -1 when every link holds.
// A chain whose end was cut off still verifies: compare its length and last
// hash with the store's.
func Verify(records []Record) (broken int, why string) {
	prev := ""
	for i, r := range records {
		if r.N != i+1 {
			return i, fmt.Sprintf("record %d says it is number %d", i+1, r.N)
		}
		want, err := r.digest(prev)
		if err != nil {
			return i, fmt.Sprintf("record %d (%s %s): %v", r.N, r.Kind, r.Ref, err)
		}
		if want != r.Hash {
			return i, fmt.Sprintf("record %d (%s %s) does not match its hash: it, or one before it, was changed", r.N, r.Kind, r.Ref)
		}
		prev = r.Hash
	}
	return -1, ""
}

// RunBody is what the chain keeps of a run: all that the evidence shows, and
// the digests of the two lists that are too long to repeat.
func RunBody(r Run) (map[string]any, error) {
	r = r.Filled()
	failures, err := Digest(show(r.Failures))
	if err != nil {
		return nil, err
	}
	tests, err := Digest(r.Tests)
	if err != nil {
		return nil, err
	}
	return map[string]any{"run": r, "failures": len(r.Failures), "failures_sha256": failures, "tests": len(r.Tests), "tests_sha256": tests}, nil
}

// Digest is the hex SHA-256 of the list's canonical JSON; a nil list counts as
// empty.
func Digest[T any](list []T) (string, error) {
	raw, err := Canonical(filled(list))
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:]), nil
}

// Canonical is v as JSON in one form only: keys sorted, no white space, no
// escapes that are not needed, numbers in their shortest form (RFC 8785, for
// keys in ASCII). Reformatting a file does not change it.
func Canonical(v any) ([]byte, error) {
	raw, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var tree any
	if err := dec.Decode(&tree); err != nil {
		return nil, err
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, loopcore.Refuse(loopcore.CodeInternal, "this is a bug in fixloop", "more than one JSON value")
	}
	var b bytes.Buffer
	if err := canonical(&b, tree); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

func canonical(b *bytes.Buffer, v any) error {
	switch v := v.(type) {
	case map[string]any:
		keys := make([]string, 0, len(v))
		for k := range v {
			keys = append(keys, k)
		}
		sort.Strings(keys)
		b.WriteByte('{')
		for i, k := range keys {
			if i > 0 {
				b.WriteByte(',')
			}
			if err := canonical(b, k); err != nil {
				return err
			}
			b.WriteByte(':')
			if err := canonical(b, v[k]); err != nil {
				return err
			}
		}
		b.WriteByte('}')
	case []any:
		b.WriteByte('[')
		for i, e := range v {
			if i > 0 {
				b.WriteByte(',')
			}
			if err := canonical(b, e); err != nil {
				return err
			}
		}
		b.WriteByte(']')
	case json.Number:
		return canonicalNumber(b, v)
	default: // string, bool, nil
		enc := json.NewEncoder(b)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(v); err != nil {
			return err
		}
		b.Truncate(b.Len() - 1) // the encoder's newline
	}
	return nil
}

func canonicalNumber(b *bytes.Buffer, n json.Number) error {
	if i, err := n.Int64(); err == nil {
		b.WriteString(strconv.FormatInt(i, 10))
		return nil
	}
	f, err := n.Float64()
	if err != nil || math.IsInf(f, 0) {
		return fmt.Errorf("number %q is out of range", n)
	}
	raw, err := json.Marshal(f)
	b.Write(raw)
	return err
}
