package main

import (
	"encoding/json"
	"reflect"
)

// json prints v for a program.
func (a *app) json(v any) error {
	enc := json.NewEncoder(a.out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(listed(v))
}

// listed is v with every list that is nil made empty: a program that reads the
// answer finds a list, as it does in the tools' answers.
func listed(v any) any {
	if v == nil {
		return nil
	}
	fresh := reflect.New(reflect.TypeOf(v)).Elem()
	fresh.Set(reflect.ValueOf(v))
	fill(fresh)
	return fresh.Interface()
}

func fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			fill(v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				fill(v.Field(i))
			}
		}
	case reflect.Slice:
		if v.IsNil() && v.CanSet() && v.Type().Elem().Kind() != reflect.Uint8 { // bytes are a text
			v.Set(reflect.MakeSlice(v.Type(), 0, 0))
		}
		for i := range v.Len() {
			fill(v.Index(i))
		}
	}
}
