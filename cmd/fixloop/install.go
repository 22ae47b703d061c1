package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"fixloop/loopcore"
)

// clientFile is one program that an agent runs in, and where it looks for servers.
type clientFile struct {
	name    string
	project string // file of a project, "" = none
	user    string // file in the home folder, "" = none
	key     string // top-level key of the servers; "" = TOML
	entry   func(command string) registration
	note    string // what to know, one line
}

// registration is one server in a client's file.
type registration struct {
	Source  string   `json:"source,omitempty"`
	Type    string   `json:"type,omitempty"`
	Command string   `json:"command"`
	Args    []string `json:"args"`
	Timeout int      `json:"timeout,omitempty"` // milliseconds
}

// An hour: a gate may be slow, and fixloop answers before a client gives up.
const callTimeout = 3600000

func plain(command string) registration {
	return registration{Command: command, Args: []string{"serve"}}
}

// clients is the table of clients, by the way each reads its file.
var clients = []clientFile{
	{"claude", ".mcp.json", "", "mcpServers", func(c string) registration {
		return registration{Type: "stdio", Command: c, Args: []string{"serve"}, Timeout: callTimeout}
	}, "Claude Code asks once before it starts a server of a project. For all your projects: claude mcp add --scope user fixloop -- fixloop serve"},
	{"codex", "", "~/.codex/config.toml", "", plain, "Codex may start servers outside of the project: the agent then passes repo."},
	{"gemini", ".gemini/settings.json", "~/.gemini/settings.json", "mcpServers", func(c string) registration {
		return registration{Command: c, Args: []string{"serve"}, Timeout: callTimeout}
	}, "Gemini CLI starts servers only in folders that you trust."},
	{"cursor", ".cursor/mcp.json", "~/.cursor/mcp.json", "mcpServers", plain, "Cursor shows new servers under Settings, MCP."},
	{"vscode", ".vscode/mcp.json", "", "servers", func(c string) registration {
		return registration{Type: "stdio", Command: c, Args: []string{"serve"}}
	}, "VS Code asks once before it starts a server of a workspace."},
	{"zed", "", "~/.config/zed/settings.json", "context_servers", func(c string) registration {
		return registration{Source: "custom", Command: c, Args: []string{"serve"}}
	}, "Zed starts the server as soon as the file is saved."},
}

func clientNames() []string {
	var out []string
	for _, c := range clients {
		out = append(out, c.name)
	}
	return out
}

func installCmd(a *app) *cobra.Command {
	var write, user, hooks bool
	var command string
	c := &cobra.Command{
		Use:       "install CLIENT",
		Short:     "Show how to register fixloop in a client, or register it (--write)",
		Long:      "Show the registration of fixloop for " + strings.Join(clientNames(), ", ") + ", and the file that it belongs to\n(a project's file lies at the top of the repository).\nWith --write it is added to that file; all other bytes of the file stay as they are, and an entry that is there is left alone.",
		Args:      args(cobra.ExactArgs(1)),
		ValidArgs: clientNames(),
		RunE: func(cmd *cobra.Command, words []string) error {
			if err := filled(cmd, "command"); err != nil {
				return err
			}
			for _, c := range clients {
				if c.name == words[0] {
					return a.install(cmd.Context(), c, write, user, hooks, command)
				}
			}
			return usage{fmt.Errorf("client %q is unknown; known are %s", words[0], strings.Join(clientNames(), ", "))}
		},
	}
	c.Flags().BoolVar(&write, "write", false, "add it to the client's file")
	c.Flags().BoolVar(&user, "user", false, "for all projects, where the client has a file for that")
	c.Flags().BoolVar(&hooks, "hooks", false, "claude: also the hooks that keep tests from being edited during a loop")
	c.Flags().StringVar(&command, "command", "", "the program to register (default: fixloop if it is on PATH, else this file)")
	return c
}

func (a *app) install(ctx context.Context, c clientFile, write, user, hooks bool, command string) error {
	if hooks && c.name != "claude" {
		return usage{errors.New("--hooks is for claude")}
	}
	top, inRepo, err := a.projectTop(ctx)
	if err != nil {
		return err
	}
	path, err := c.file(top, user)
	if err != nil {
		return err
	}
	if command == "" {
		command = ourCommand()
	}
	added, err := a.register(c, path, command, write)
	if err != nil {
		return err
	}
	var files []string
	if added && c.project != "" && !user {
		files = append(files, path)
	}
	if hooks {
		path := filepath.Join(top, ".claude", "settings.json")
		added, err := a.registerHooks(path, command, write)
		if err != nil {
			return err
		}
		if added {
			files = append(files, path)
		}
	}
	fmt.Fprintln(a.err, c.note)
	switch {
	case !write:
		fmt.Fprintln(a.err, "Add --write to have it written.")
	case inRepo && len(files) > 0:
		fmt.Fprintf(a.err, "Commit %s, or have git ignore what is yours alone: a loop starts from a clean tree.\n", strings.Join(files, " and "))
	}
	return nil
}

// projectTop is where a project's files belong, as seen from the working
// directory: the top of the repository, else the working directory itself.
func (a *app) projectTop(ctx context.Context) (top string, inRepo bool, err error) {
	e, end, err := a.engine()
	if err != nil {
		return "", false, err
	}
	defer end()
	cwd := caller().Cwd
	top, inRepo = e.Top(ctx, cwd)
	if !inRepo {
		return "", false, nil
	}
	if real, err := filepath.EvalSymlinks(cwd); err == nil {
		cwd = real
	}
	rel, err := filepath.Rel(cwd, top)
	if err != nil {
		return top, true, nil
	}
	return rel, true, nil
}

// file is the client's file: the project's below its top, else the user's.
func (c clientFile) file(top string, user bool) (string, error) {
	if c.project != "" && !user {
		return filepath.Join(top, filepath.FromSlash(c.project)), nil
	}
	if c.user == "" {
		return "", loopcore.Refuse(loopcore.CodeInvalidArgument, c.note, "%s keeps no file for all projects that others should write", c.name)
	}
	if dir := os.Getenv("CODEX_HOME"); c.name == "codex" && dir != "" {
		return filepath.Join(dir, "config.toml"), nil
	}
	if dir := os.Getenv("APPDATA"); c.name == "zed" && runtime.GOOS == "windows" && dir != "" {
		return filepath.Join(dir, "Zed", "settings.json"), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", loopcore.Refuse(loopcore.CodeNotFound, "set HOME", "the home folder is not known: %w", err)
	}
	return filepath.Join(home, filepath.FromSlash(strings.TrimPrefix(c.user, "~/"))), nil
}

// ourCommand is how a client starts this program. A binary that `go run` made
// is gone tomorrow, so then only the name is of use.
func ourCommand() string {
	if _, err := exec.LookPath("fixloop"); err == nil {
		return "fixloop"
	}
	self, err := os.Executable()
	if err != nil || strings.Contains(filepath.ToSlash(self), "/go-build") {
		return "fixloop"
	}
	return self
}

// tomlTable finds a registration of ours in Codex's file, in any spelling.
var tomlTable = loopcore.Lazily(`(?m)^\s*\[\s*mcp_servers\s*\.\s*["']?fixloop["']?\s*[.\]]|^\s*mcp_servers\s*[=.]`)

// register shows a registration, or adds it and says whether it was not there.
func (a *app) register(c clientFile, path, command string, write bool) (added bool, err error) {
	if c.key == "" {
		text := fmt.Sprintf("[mcp_servers.fixloop]\ncommand = %s\nargs = [\"serve\"]\ntool_timeout_sec = %d\n", quote(command), callTimeout/1000)
		if !write {
			a.printf("%s:\n%s", path, text)
			return false, nil
		}
		return a.edit(path, "fixloop", func(old []byte) ([]byte, string, error) {
			if m := tomlTable.FindString(string(old)); m != "" {
				return nil, strings.TrimSpace(m), nil
			}
			if len(old) > 0 {
				old = append(bytes.TrimRight(old, "\n"), "\n\n"...)
			}
			return append(old, text...), "", nil
		})
	}
	entry := c.entry(command)
	if !write {
		text, err := marshal(map[string]any{c.key: map[string]any{"fixloop": entry}}, "", "  ")
		a.printf("%s:\n%s\n", path, text)
		return false, err
	}
	return a.edit(path, "fixloop", func(old []byte) ([]byte, string, error) { return insertEntry(old, c.key, "fixloop", entry) })
}

// edit adds what to a file through change, which returns what is there already
// instead where there is nothing to do. It says whether it changed the file.
func (a *app) edit(path, what string, change func([]byte) (out []byte, there string, err error)) (bool, error) {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real // of a linked dotfile, the file itself
	}
	old, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, loopcore.Refuse(loopcore.CodeDisk, "check its permissions, or add the text by hand", "%s can not be read: %w", path, err)
	}
	data, there, err := change(old)
	if err != nil {
		return false, loopcore.Refuse(loopcore.CodeBadConfig, "correct the file, or add the text by hand: run this without --write to see it", "%s can not be added to: %w", path, err)
	}
	if there != "" {
		a.printf("%s has it already, and was left alone: %s\n", path, loopcore.CleanLine(there, 300))
		return false, nil
	}
	if err := replaceFile(path, data); err != nil {
		return false, loopcore.Refuse(loopcore.CodeDisk, "check its permissions, or add the text by hand", "%s can not be written: %w", path, err)
	}
	a.printf("%s: added %s\n", path, what)
	return true, nil
}

// replaceFile writes whole or not at all, and keeps the mode.
func replaceFile(path string, data []byte) error {
	mode := fs.FileMode(0o644)
	if info, err := os.Stat(path); err == nil {
		mode = info.Mode().Perm()
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), ".fixloop-*")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name())
	_, err = tmp.Write(data)
	err = errors.Join(err, tmp.Chmod(mode), tmp.Close())
	if err != nil {
		return err
	}
	return os.Rename(tmp.Name(), path)
}

// claudeHook is one hook in Claude Code's settings.
type claudeHook struct {
	Matcher string        `json:"matcher,omitempty"`
	Hooks   []hookCommand `json:"hooks"`
}

// hookCommand is run by a shell: every version of Claude Code takes a hook's
// command for one line of shell, and only newer ones know a list of arguments.
type hookCommand struct {
	Type    string `json:"type"`
	Command string `json:"command"`
	Timeout int    `json:"timeout"` // seconds
}

// plainWord is what a POSIX shell takes as one word without quotes.
var plainWord = loopcore.Lazily(`^[A-Za-z0-9_@%+:,./-]+$`)

// shellWord quotes a program's path for a POSIX shell, which runs the hooks on
// Windows too: there the path gets forward slashes.
func shellWord(path string) string {
	path = filepath.ToSlash(path)
	if plainWord.MatchString(path) {
		return path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}

// registerHooks adds the hooks to Claude Code's settings of the project. An
// event that has hooks of the user's is only shown: the order is theirs.
func (a *app) registerHooks(path, command string, write bool) (added bool, err error) {
	one := func(matcher, event string) []claudeHook {
		return []claudeHook{{matcher, []hookCommand{{"command", shellWord(command) + " hook " + event, 10}}}}
	}
	events := []struct {
		name, event string
		hook        []claudeHook
	}{{"PreToolUse", "pre-tool-use", one("Edit|Write|MultiEdit|NotebookEdit", "pre-tool-use")}, {"Stop", "stop", one("", "stop")}}
	for _, e := range events {
		text, err := marshal(map[string]any{"hooks": map[string]any{e.name: e.hook}}, "", "  ")
		if err != nil {
			return added, err
		}
		if !write {
			a.printf("%s:\n%s\n", path, text)
			continue
		}
		did, err := a.edit(path, "the "+e.name+" hook", func(old []byte) ([]byte, string, error) {
			out, there, err := insertEntry(old, "hooks", e.name, e.hook)
			if there != "" && !strings.Contains(there, " hook "+e.event+`"`) {
				return nil, "", fmt.Errorf("%s has hooks already", e.name)
			}
			return out, there, err
		})
		if err != nil {
			return added, err
		}
		added = added || did
	}
	return added, nil
}
