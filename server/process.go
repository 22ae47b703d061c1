package server

import (
	"context"
	"io"
	"os"
	"os/signal"
	"syscall"
)

// Stdio takes the process's standard streams for the protocol. From then on
// os.Stdout is stderr, so that a stray print can not break the stream.
func Stdio() (io.Reader, io.Writer) {
	real := os.Stdout
	os.Stdout = os.Stderr
	return os.Stdin, real
}

// Signals returns a context that the first INT, TERM or HUP ends; a second one
// kills the process at once, as always. SIGPIPE is ignored: with a client that
// closed its end a write fails then, instead of killing the process and
// leaving the gate's processes behind.
func Signals(ctx context.Context) (context.Context, context.CancelFunc) {
	signal.Ignore(syscall.SIGPIPE)
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}
