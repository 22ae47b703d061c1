package server

import "testing"

func TestMisfit(t *testing.T) {
	for message, want := range map[string]string{
		"unparsable ping request: json: cannot unmarshal array into Go struct field RequestParams.Request.params._meta of type struct {}":          "params._meta has the wrong type: array",
		"unparsable tools/call request: json: cannot unmarshal number 1e309 into Go struct field CallToolRequest.params.arguments of type float64": "params.arguments: the number 1e309 is out of range, or no whole number",
		"unparsable x request: json: cannot unmarshal string into Go value of type T":                                                              "params has the wrong type: string",
		"unparsable x request: something else": "params do not have the shape of this method: something else",
		"tool 'x' not found":                   "",
		"unparsable":                           "",
	} {
		if got, ok := misfit(message); got != want || ok != (want != "") {
			t.Errorf("%s\ngot  %q\nwant %q", message, got, want)
		}
	}
}
