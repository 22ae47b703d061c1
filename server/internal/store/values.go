package store

import (
	"bytes"
	"compress/gzip"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"fixloop/loopcore/evidence"
)

// errUnreadable marks a stored value that does not read back: damage.
var errUnreadable = errors.New("a stored value does not read back")

// readBack marks err, unless it is nil.
func readBack(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w: %w", errUnreadable, err)
}

// stamp is a time as the tables keep it; "" is the zero time.
func stamp(t time.Time) sql.NullString {
	if t.IsZero() {
		return sql.NullString{}
	}
	return sql.NullString{String: evidence.Stamp(t).Format("2006-01-02T15:04:05.000Z07:00"), Valid: true}
}

// clock scans a time out of a column; NULL is the zero time.
type clock struct{ to *time.Time }

// Scan implements sql.Scanner.
func (c clock) Scan(src any) error {
	switch v := src.(type) {
	case nil:
		*c.to = time.Time{}
		return nil
	case string:
		t, err := time.Parse(time.RFC3339, v)
		*c.to = t.UTC()
		return readBack(err)
	}
	return fmt.Errorf("%w: a time is a %T", errUnreadable, src)
}

// jsonText is v as JSON for a column.
func jsonText(v any) (string, error) {
	raw, err := json.Marshal(v)
	return string(raw), err
}

// fromJSON scans JSON out of a column into a value; NULL leaves it alone.
type fromJSON struct{ to any }

// Scan implements sql.Scanner.
func (f fromJSON) Scan(src any) error {
	switch v := src.(type) {
	case nil:
		return nil
	case string:
		return readBack(json.Unmarshal([]byte(v), f.to))
	case []byte:
		return readBack(json.Unmarshal(v, f.to))
	}
	return fmt.Errorf("%w: JSON is a %T", errUnreadable, src)
}

// opaque is JSON that only the caller understands, NULL for none.
func opaque(raw json.RawMessage) sql.NullString {
	return sql.NullString{String: string(raw), Valid: len(raw) > 0}
}

// packed is v as gzip of JSON: inventories are long and repeat themselves.
func packed(v any) ([]byte, error) {
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestSpeed)
	if err != nil {
		return nil, err
	}
	if err := json.NewEncoder(z).Encode(v); err != nil {
		return nil, err
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// fromPacked scans what packed made; NULL leaves the value alone.
type fromPacked struct{ to any }

// Scan implements sql.Scanner.
func (f fromPacked) Scan(src any) error {
	raw, ok := src.([]byte)
	if src == nil || ok && len(raw) == 0 {
		return nil
	}
	if !ok {
		return fmt.Errorf("%w: packed JSON is a %T", errUnreadable, src)
	}
	z, err := gzip.NewReader(bytes.NewReader(raw))
	if err != nil {
		return readBack(err)
	}
	return readBack(json.NewDecoder(io.LimitReader(z, 1<<30)).Decode(f.to))
}
