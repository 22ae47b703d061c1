package server_test

import (
	"bufio"
	"context"
	"io"
	"testing"

	"fixloop/server"
)

// BenchmarkCall is one small tool call, there and back.
func BenchmarkCall(b *testing.B) {
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	go server.Serve(context.Background(), server.Config{In: inR, Out: outW, Engine: sample()})
	defer inW.Close()
	r := bufio.NewReader(outR)
	for b.Loop() {
		io.WriteString(inW, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"run_gate","arguments":{"confirm":"tok-1"}}}`+"\n")
		if _, err := r.ReadSlice('\n'); err != nil && err != bufio.ErrBufferFull {
			b.Fatal(err)
		}
	}
}
