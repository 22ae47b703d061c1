package loopcore

import (
	"errors"
	"fmt"
)

// Code names a refusal for machines. Codes are part of the contract: clients
// and tests match on them, people read Msg and Hint.
type Code string

// The codes every floor uses. Anything that is not an *Error is our own bug
// and is reported as CodeInternal.
const (
	CodeInvalidArgument Code = "invalid_argument" // unknown, mistyped or out-of-range argument
	CodeNotARepository  Code = "not_a_repository" // no git work tree here, or a bare repository
	CodeNoHead          Code = "no_head"          // the repository has no commit yet
	CodeDirtyTree       Code = "dirty_tree"       // uncommitted work would be mixed with the loop's
	CodeNotConfirmed    Code = "not_confirmed"    // a person has not confirmed the gate, or the token is stale
	CodeNoGate          Code = "no_gate"          // no step could be detected and none was given
	CodeNoSession       Code = "no_session"       // no session, or none by that id
	CodeSessionOpen     Code = "session_open"     // a session of this work tree is already open
	CodeSessionEnded    Code = "session_ended"    // the session has an outcome already
	CodeNoRun           Code = "no_run"           // no run, or none by that id
	CodeBusy            Code = "busy"             // another server runs this tree's gate
	CodeStale           Code = "stale"            // the tree is not the one last tested
	CodeBlocked         Code = "blocked"          // blocking findings stand
	CodeNotFound        Code = "not_found"        // a file, snapshot or path does not exist
	CodeOutsideRepo     Code = "outside_repo"     // a path leaves the repository
	CodeBadEvidence     Code = "bad_evidence"     // evidence is broken JSON or of an unknown schema version
	CodeBadConfig       Code = "bad_config"       // .fixloop.yaml or a flag does not parse
	CodeGit             Code = "git"              // git is missing, too old, refused or timed out
	CodeDisk            Code = "disk"             // no room or no permission to write
	CodeDamaged         Code = "damaged"          // stored state is corrupt
	CodeCancelled       Code = "cancelled"        // the caller went away or cancelled
	CodeInternal        Code = "internal"         // a bug of ours
)

// Error is a refusal: what is wrong and what to do next. It prints as
// "code: what is wrong. what to do next", the form every tool error has.
type Error struct {
	Code Code   // for machines
	Msg  string // what is wrong, one sentence, no final stop
	Hint string // what to do next, one sentence; always set for refusals
	Err  error  // the cause, for logs
}

// Error implements error.
func (e *Error) Error() string {
	s := string(e.Code) + ": " + e.Msg
	if e.Hint != "" {
		s += ". " + e.Hint
	}
	return s
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Refuse builds a refusal; msg is a format string for args, as for fmt.Errorf:
// %w keeps the cause.
func Refuse(code Code, hint, msg string, args ...any) *Error {
	said := fmt.Errorf(msg, args...)
	cause := errors.Unwrap(said)
	for _, a := range args {
		if err, ok := a.(error); ok && cause == nil {
			cause = err
		}
	}
	return &Error{Code: code, Hint: hint, Msg: said.Error(), Err: cause}
}

// AsError returns err as a refusal: the *Error inside it, or CodeInternal.
func AsError(err error) *Error {
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	return &Error{Code: CodeInternal, Msg: err.Error(), Hint: "this is a bug in fixloop; the log on stderr has more", Err: err}
}

// CodeOf returns the code of err, or "" for nil.
func CodeOf(err error) Code {
	if err == nil {
		return ""
	}
	return AsError(err).Code
}
