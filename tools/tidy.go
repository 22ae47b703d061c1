package tools

import (
	"reflect"
	"slices"

	"fixloop/loopcore"
)

// tidy makes an answer fit to leave: what came from the repository loses its
// control and invisible characters wherever it stands, and an empty list is []
// rather than null, which clients that validate would refuse. It works on a
// pointer to the answer, and copies what that points to: the engine may keep
// what it gave us.
func tidy(answer any) { tidyValue(reflect.ValueOf(answer).Elem()) }

func tidyValue(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		if s := loopcore.Clean(v.String()); s != v.String() {
			v.SetString(s)
		}
	case reflect.Pointer:
		if !v.IsNil() {
			fresh := reflect.New(v.Type().Elem())
			fresh.Elem().Set(v.Elem())
			v.Set(fresh)
			tidyValue(v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			tidyValue(v.Field(i))
		}
	case reflect.Slice:
		fresh := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		reflect.Copy(fresh, v)
		v.Set(fresh)
		for i := range v.Len() {
			tidyValue(v.Index(i))
		}
	case reflect.Map:
		fresh := reflect.MakeMapWithSize(v.Type(), v.Len())
		for _, k := range v.MapKeys() {
			e := reflect.New(v.Type().Elem()).Elem()
			e.Set(v.MapIndex(k))
			tidyValue(e)
			fresh.SetMapIndex(k, e)
		}
		v.Set(fresh)
	}
}

// documents are the fields with a cut of their own.
var documents = map[string]bool{"Markdown": true, "ReportMarkdown": true}

// whole are the fields that mean little when cut: a program or an agent takes
// them as they are.
var whole = map[string]bool{
	"ID": true, "Token": true, "Session": true, "Run": true, "Log": true, "LogPath": true, "Repo": true, "File": true,
	"Files": true, "DirtyFiles": true, "Command": true, "Dir": true, "ReportPath": true, "EvidencePath": true, "NextCursor": true,
	"Digest": true, "Restore": true, "Snapshot": true, "Tree": true, "Summary": true, "Next": true, "Honest": true,
}

// longest is how many characters of such a field are shown all the same.
const longest = 1200

// limits are what squeeze leaves: characters of a text, of a text that means
// little when cut, and entries of a list.
type limits struct{ text, whole, list int }

// unlimited is more than any list has.
const unlimited = 1 << 40

// shorten cuts every text of an answer to at most max characters.
func shorten(answer any, max int) {
	limitValue(reflect.ValueOf(answer).Elem(), limits{max, longest, unlimited}, max)
}

// squeeze is for answers that are too large whatever is left out of them. It
// cuts everything, and says so.
func squeeze(answer any, l limits) {
	v := reflect.ValueOf(answer).Elem()
	limitValue(v, l, l.text)
	for _, name := range []string{"Notes", "Warnings"} {
		if f := v.FieldByName(name); f.IsValid() {
			said, _ := f.Interface().([]string)
			if !slices.Contains(said, cutToFit) {
				f.Set(reflect.ValueOf(append(said, cutToFit)))
			}
			return
		}
	}
}

const cutToFit = "this answer is cut to fit: ask for less at once, or read the log, report or evidence"

// limitValue applies l; max is the limit of the field that v is, or is in.
func limitValue(v reflect.Value, l limits, max int) {
	switch v.Kind() {
	case reflect.String:
		if v.Len() > max {
			v.SetString(cutText(v.String(), max))
		}
	case reflect.Pointer:
		if !v.IsNil() {
			limitValue(v.Elem(), l, max)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			name := v.Type().Field(i).Name
			switch {
			case documents[name] && l.list != unlimited:
				limitValue(v.Field(i), l, 2*l.whole)
			case documents[name]:
			case whole[name]:
				limitValue(v.Field(i), l, l.whole)
			default:
				limitValue(v.Field(i), l, l.text)
			}
		}
	case reflect.Slice:
		if v.Len() > l.list {
			v.SetLen(l.list)
		}
		for i := range v.Len() {
			limitValue(v.Index(i), l, max)
		}
	case reflect.Map:
		for _, k := range v.MapKeys() {
			if s := v.MapIndex(k); s.Kind() == reflect.String && s.Len() > l.whole {
				v.SetMapIndex(k, reflect.ValueOf(cutText(s.String(), l.whole)))
			}
		}
	}
}

// cutText keeps at most max characters of s, the last of them an ellipsis.
func cutText(s string, max int) string {
	n := 0
	end := 0
	for i := range s {
		if n == max-1 {
			end = i
		}
		if n == max {
			return s[:end] + "…"
		}
		n++
	}
	return s
}
