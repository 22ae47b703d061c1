// Package guard compares the baseline tree with the work tree and says where a
// test, or what judges the tests, was weakened. It reads values and returns
// values: the caller walks the trees.
//
// The work has three layers. The lexer turns every file into tokens, so that a
// directive inside a string or a comment is not a finding. The unit model finds
// suites, tests, markers and assertions in the tokens, and match.go pairs the
// tests of the two trees across moves and renames. The rules judge differences
// only: what was there at baseline is accepted.
package guard
