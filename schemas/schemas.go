// Package schemas holds what clients see of the tools: the hand-written input
// schemas and the output schemas, one file each. Input schemas are flat and
// single-typed, because some model back ends refuse type arrays and
// combinators there, and short, because every request of the agent pays for
// them. Numbers have their ranges in tools/decode.go; tests hold the files
// against the Go types.
package schemas

import (
	"embed"
	"encoding/json"
)

//go:embed *.in.json *.out.json
var files embed.FS

// Input returns the input schema of a tool, nil for an unknown one.
func Input(tool string) json.RawMessage { return read(tool + ".in.json") }

// Output returns the output schema of a tool, nil for an unknown one. It holds
// for answers and for refusals, whose structuredContent is {error}: clients
// validate both.
func Output(tool string) json.RawMessage { return read(tool + ".out.json") }

func read(name string) json.RawMessage {
	b, err := files.ReadFile(name)
	if err != nil {
		return nil
	}
	return b
}
