// Command fixloop is an MCP server that drives a test-fix loop, and the command
// line beside it. Every verb is a thin call of server/engine.
package main

import (
	"os"

	"fixloop/server/engine"
)

func main() {
	if engine.Supervise() { // a run of the gate is looked after by this program, started again
		return
	}
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
