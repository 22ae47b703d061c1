package guard

import (
	"strings"
	"testing"

	"fixloop/loopcore"
)

// Only what takes node's strict assertions is strict: the word is an option of
// many other things.
func TestStrictAssert(t *testing.T) {
	for src, want := range map[string]bool{
		"import assert from 'assert/strict'":                                          true,
		"import { equal } from \"node:assert/strict\"":                                true,
		"import 'assert/strict'":                                                      true,
		"const assert = require('assert/strict')":                                     true,
		"const assert = await import('node:assert/strict')":                           true,
		"const assert = require('assert').strict":                                     true,
		"const { strict: assert } = require('node:assert')":                           true,
		"const {ok, strict: a} = require(\"assert\")":                                 true,
		"import {\n  strict as assert,\n} from 'assert'":                              true,
		"import base from 'assert'\nconst assert = base.strict":                       true,
		"const assert = require('assert')\nparse('x', { strict: true })":              false,
		"'use strict'\nconst assert = require('assert')":                              false,
		"import assert from 'assert'\nimport { strict } from './options'":             false,
		"const assert = require('assert') // once require('assert').strict":           false,
		"const { strict } = require('yargs')\nimport * as assert from 'node:assert'":  false,
		"const { strictEqual } = require('assert')":                                   false,
		"const assert = require('assert')\nconst o = { strict: 1 }, b = require('x')": false,
	} {
		if got := newUnit("a.test.js", []byte(src+"\n")).strictAssert(); got != want {
			t.Errorf("%s: %v", src, got)
		}
	}
}

func TestOptionsAreNoStrictAssertions(t *testing.T) {
	src := "const assert = require('assert')\nconst test = require('node:test')\n\ntest('a', () => {\n  assert.equal(parse('x', { strict: true }), 1)\n})\n"
	spread := strings.Replace(src, "{ strict: true }", "{\n    strict: true,\n  }", 1)
	if fs := Check(Input{Changes: []Change{change("a.test.js", src, spread)}}); len(fs) != 0 {
		t.Errorf("options in another layout:%s", describe(fs))
	}
	strict := strings.Replace(src, "require('assert')", "require('assert').strict", 1)
	if fs := Check(Input{Changes: []Change{change("a.test.js", strict, src)}}); len(fs) != 1 || fs[0].Rule != "A04" || fs[0].Severity != loopcore.SevBlock {
		t.Errorf("strict assertions became loose:%s", describe(fs))
	}
}

// A text, a pattern of it and a raw string of it hold the same value.
func TestSameValue(t *testing.T) {
	for _, s := range []string{`"no item"`, `r"no item"`, `/no item/`, `~r/no item/`, `r"^no item$"`, `/\Ano item\z/`} {
		if !sameValue(`"no item"`, s) {
			t.Errorf("%s is the same", s)
		}
	}
	for _, s := range []string{`"no itemr"`, `r"o item"`, `rest`, `r`, `""`} {
		if sameValue(`"no item"`, s) {
			t.Errorf("%s is another", s)
		}
	}
}
