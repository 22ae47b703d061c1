package tools

import (
	"reflect"

	"fixloop/loopcore"
)

// tidy makes an answer fit to leave: what came from the repository loses its
// control and invisible characters wherever it stands, and an empty list is []
// rather than null, which clients that validate would refuse. It works on a
// pointer to the answer.
func tidy(answer any) { tidyValue(reflect.ValueOf(answer).Elem()) }

func tidyValue(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		if s := loopcore.Clean(v.String()); s != v.String() {
			v.SetString(s)
		}
	case reflect.Pointer:
		if !v.IsNil() {
			tidyValue(v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			tidyValue(v.Field(i))
		}
	case reflect.Slice:
		// A fresh slice: the engine may keep the one it gave us.
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

// shorten cuts every text of an answer to at most max characters.
func shorten(answer any, max int) { shortenValue(reflect.ValueOf(answer).Elem(), max) }

func shortenValue(v reflect.Value, max int) {
	switch v.Kind() {
	case reflect.String:
		if v.Len() > max {
			v.SetString(cutText(v.String(), max))
		}
	case reflect.Pointer:
		if !v.IsNil() {
			// The engine may keep what this points to.
			fresh := reflect.New(v.Type().Elem())
			fresh.Elem().Set(v.Elem())
			v.Set(fresh)
			shortenValue(v.Elem(), max)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			name := v.Type().Field(i).Name
			switch {
			case documents[name]:
			case whole[name]:
				shortenValue(v.Field(i), longest)
			default:
				shortenValue(v.Field(i), max)
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			shortenValue(v.Index(i), max)
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
