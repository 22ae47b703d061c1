package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/lmittmann/tint"
	"github.com/mattn/go-isatty"
	"github.com/spf13/cobra"

	"fixloop/loopcore"
	"fixloop/loopcore/contract"
	"fixloop/server"
	"fixloop/server/engine"
)

// Exit codes.
const (
	exitOK          = 0
	exitRed         = 1 // red, or findings
	exitUsage       = 2 // wrong usage, and every refusal that is not one of the next two
	exitUnresolved  = 3
	exitEnvironment = 4
)

// version is set by a release build; otherwise the build information tells.
var version string

// app is what every verb gets: its streams, and an engine made when needed.
type app struct {
	in       io.Reader
	out, err io.Writer
	logFile  string
	verbose  bool
	exit     int // set by a verb that ended as it should, with bad news
}

// verbs is the table of verbs, in the order of the help: one file each.
var verbs = []func(*app) *cobra.Command{
	serveCmd, demoCmd, detectCmd, runCmd, parseCmd, guardCmd, statusCmd, reportCmd, verifyCmd, waiveCmd,
	checkpointsCmd, snapshotCmd, restoreCmd, showCmd, diffCmd, gcCmd, doctorCmd, installCmd, hookCmd, versionCmd,
}

// run is main without the process: it returns the exit code.
func run(args []string, in io.Reader, out, errOut io.Writer) int {
	a := &app{in: in, out: out, err: errOut}
	root := &cobra.Command{
		Use:           "fixloop",
		Short:         "Drive a test-fix loop that can not be talked into green",
		Long:          "fixloop runs a repository's gate, reads what failed, keeps every tree, and decides when a test-fix loop is done.\nAs an MCP server: fixloop serve.",
		SilenceErrors: true, SilenceUsage: true,
		CompletionOptions: cobra.CompletionOptions{HiddenDefaultCmd: false},
	}
	root.Version = strings.TrimPrefix(versionLine(), "fixloop ") // a template of ours would link what parses templates, 5 MB
	root.SetArgs(args)
	root.SetIn(in)
	root.SetOut(out)
	root.SetErr(errOut)
	root.PersistentFlags().StringVar(&a.logFile, "log-file", "", "write the log to this file instead of stderr")
	root.PersistentFlags().BoolVarP(&a.verbose, "verbose", "v", false, "log more")
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usage{err} })
	for _, v := range verbs {
		root.AddCommand(v(a))
	}
	strictCompletion(root)
	ctx, stop := server.Signals(context.Background())
	defer stop()
	err := root.ExecuteContext(ctx)
	switch {
	case err == nil:
		return a.exit
	case errors.As(err, new(usage)) || strings.HasPrefix(err.Error(), "unknown command"):
		fmt.Fprintf(errOut, "fixloop: %s: %v\n  try: %s\n", loopcore.CodeInvalidArgument, err, helpOf(root, args))
		return exitUsage
	}
	return a.complain(err)
}

// strictCompletion makes completion refuse a shell that it does not know: by
// itself it prints its help and succeeds.
func strictCompletion(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		if c.Name() != "completion" {
			continue
		}
		var shells []string
		for _, s := range c.Commands() {
			shells = append(shells, s.Name())
			s.Args = args(cobra.NoArgs)
		}
		c.Args = cobra.ArbitraryArgs
		c.RunE = func(_ *cobra.Command, words []string) error {
			known := strings.Join(shells, ", ")
			if len(words) == 0 {
				return usage{fmt.Errorf("name a shell: %s", known)}
			}
			return usage{fmt.Errorf("shell %q is unknown; known are %s", words[0], known)}
		}
	}
}

// usage is a mistake in the command line.
type usage struct{ error }

// args wraps cobra's argument checks, so that their errors are usage errors and
// say what the verb takes.
func args(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(c *cobra.Command, a []string) error {
		if slices.Contains(a, "") { // a variable that is not set, as a rule
			return usage{fmt.Errorf("an argument of %s is empty", c.Name())}
		}
		if check(c, a) == nil {
			return nil
		}
		_, takes, _ := strings.Cut(c.Use, " ")
		got := "nothing"
		if len(a) > 0 {
			got = strings.Join(a, " ")
		}
		if takes == "" {
			takes = "no argument"
		}
		return usage{fmt.Errorf("%s takes %s, and was given: %s", c.Name(), takes, loopcore.CleanLine(got, 200))}
	}
}

// helpOf is the help to read: of the verb, where there is one.
func helpOf(root *cobra.Command, words []string) string {
	if c, _, err := root.Find(words); err == nil && c != root {
		return "fixloop help " + strings.TrimPrefix(c.CommandPath(), "fixloop ")
	}
	return "fixloop help"
}

// alone refuses two flags of a group at once: one of them would be ignored.
func alone(c *cobra.Command, names ...string) error {
	var given []string
	for _, n := range names {
		if c.Flags().Changed(n) {
			given = append(given, "--"+n)
		}
	}
	if len(given) > 1 {
		return usage{fmt.Errorf("%s do not go together", strings.Join(given, " and "))}
	}
	return nil
}

// filled refuses a flag that was given without a value, by a variable that is
// empty, as a rule.
func filled(c *cobra.Command, names ...string) error {
	for _, n := range names {
		if f := c.Flags().Lookup(n); f.Changed && strings.TrimSpace(f.Value.String()) == "" {
			return usage{fmt.Errorf("--%s is empty: leave it out, or give a value", n)}
		}
	}
	return nil
}

// complain prints a refusal: what is wrong, then what to do.
func (a *app) complain(err error) int {
	e := loopcore.AsError(err)
	fmt.Fprintf(a.err, "fixloop: %s: %s\n", e.Code, e.Msg)
	if hint := hintFor(e); hint != "" {
		fmt.Fprintf(a.err, "  %s\n", hint)
	}
	return exitOfRefusal(e.Code)
}

// hintFor is what to do at a terminal: the hint of a refusal, unless it names a
// tool, which only an agent can call.
func hintFor(e *loopcore.Error) string {
	for _, tool := range []string{"detect_gate", "run_gate", "parse_failures", "load_failures", "checkpoint with", "evaluate_termination",
		"propose_fix_skeleton", "test_command"} {
		if !strings.Contains(e.Hint, tool) {
			continue
		}
		switch e.Code {
		case loopcore.CodeNoSession, loopcore.CodeNoRun, loopcore.CodeSessionEnded:
			return "a loop is opened by an agent that has fixloop as its server (`fixloop install`); `fixloop run` runs the gate once without one"
		case loopcore.CodeNoGate:
			return "give a command (--test, --lint, --typecheck, --build), or write it under gate: in .fixloop.yaml"
		}
		return "have the agent go on with its loop; `fixloop status` shows where it stands"
	}
	return e.Hint
}

// exitOfRefusal keeps every refusal apart from a result: 1 is red, or a finding,
// and never that something could not be looked at.
func exitOfRefusal(c loopcore.Code) int {
	switch c {
	case loopcore.CodeCancelled, loopcore.CodeBusy, loopcore.CodeInternal:
		return exitUnresolved
	case loopcore.CodeGit, loopcore.CodeDisk, loopcore.CodeDamaged, loopcore.CodeNotARepository, loopcore.CodeNoGate:
		return exitEnvironment
	}
	return exitUsage
}

// engine makes the engine of one verb; end closes it.
func (a *app) engine() (*engine.Engine, func(), error) {
	log, closeLog, err := a.log()
	if err != nil {
		return nil, nil, err
	}
	e := engine.New(engine.Config{Version: ourVersion(), Log: log})
	return e, func() { _ = e.Close(); closeLog() }, nil
}

// withEngine is a command that works with an engine, which ends with it.
func (a *app) withEngine(run func(*cobra.Command, *engine.Engine, []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		e, end, err := a.engine()
		if err != nil {
			return err
		}
		defer end()
		return run(cmd, e, args)
	}
}

// log is slog through tint on stderr, or plain lines in --log-file.
func (a *app) log() (*slog.Logger, func(), error) {
	level := slog.LevelWarn
	if a.verbose {
		level = slog.LevelDebug
	}
	if a.logFile == "" {
		return slog.New(tint.NewHandler(a.err, &tint.Options{Level: level, NoColor: !terminal(a.err)})), func() {}, nil
	}
	f, err := os.OpenFile(a.logFile, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, nil, loopcore.Refuse(loopcore.CodeDisk, "name a file that can be written", "the log file can not be opened: %w", err)
	}
	return slog.New(slog.NewTextHandler(f, &slog.HandlerOptions{Level: level})), func() { _ = f.Close() }, nil
}

// caller is the command line as a caller of the engine.
func caller() contract.Caller {
	cwd, _ := os.Getwd()
	return contract.Caller{Client: "fixloop", ClientVersion: ourVersion(), Cwd: cwd}
}

// folder is the working directory, or the argument.
func folder(args []string) string {
	if len(args) > 0 {
		return args[0]
	}
	return caller().Cwd
}

func terminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" && isatty.IsTerminal(f.Fd())
}

// line prints one line, without blanks at its end.
func (a *app) line(format string, args ...any) {
	a.printf("%s\n", strings.TrimRight(fmt.Sprintf(format, args...), " "))
}

func (a *app) printf(format string, args ...any) { fmt.Fprintf(a.out, format, args...) }

// ourVersion is the release's version, else the module's, else "dev".
func ourVersion() string {
	if version != "" {
		return version
	}
	if b, ok := debug.ReadBuildInfo(); ok && b.Main.Version != "" && b.Main.Version != "(devel)" {
		return b.Main.Version
	}
	return "dev"
}
