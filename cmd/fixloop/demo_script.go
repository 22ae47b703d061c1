package main

import (
	"errors"

	"fixloop/loopcore"
	"fixloop/loopcore/contract"
)

// script is what the agent of the demo tries, in order: honestly, by cheating,
// by guessing, and then with care.
var script = []attempt{
	{
		says: "1. An honest fix: Total forgot the count",
		edit: func(d *demo) error {
			return d.replace("till.go", "sum += it.Price", "sum += it.Price * it.Count")
		},
		done: func(d *demo, _ contract.RunGateOut, e contract.EvaluateOut) error {
			if e.Outcome != loopcore.OutcomeContinue {
				return odd("an honest fix", e)
			}
			return d.checkpoint("Total forgot the count")
		},
	},
	{
		says: "2. A cheat: Discount is fixed, but the failing TestChange is skipped",
		edit: func(d *demo) error {
			if err := d.replace("till.go", "return price - percent", "return price - price*percent/100"); err != nil {
				return err
			}
			return d.replace("till_test.go", "func TestChange(t *testing.T) {", "func TestChange(t *testing.T) {\n\tt.Skip(\"later\")")
		},
		done: func(d *demo, _ contract.RunGateOut, e contract.EvaluateOut) error {
			if e.Action.Kind != loopcore.ActionRestoreProtected || d.holds("till_test.go", "Skip") || !d.holds("till.go", "price*percent/100") {
				return odd("a cheat", e)
			}
			d.say("tree", "the test is back as it was; the honest half of the edit stays")
			return nil
		},
	},
	{
		says: "3. A guess: Change is rewritten, and Total with it",
		edit: func(d *demo) error {
			return d.replace("till.go", "amount > c {", "amount >= c*2 {", "if len(items) == 0 {", "if len(items) != 0 {")
		},
		done: func(d *demo, _ contract.RunGateOut, e contract.EvaluateOut) error {
			if e.Action.Kind != loopcore.ActionRollback || d.holds("till.go", "len(items) != 0") {
				return odd("a regression", e)
			}
			d.say("tree", "back at the checkpoint of step 1, so without the fix of Discount, which no run had accepted; what was there is kept: fixloop show %s:till.go", e.Action.Discarded)
			return nil
		},
	},
	{
		says: "4. With care: both remaining causes, nothing else",
		edit: func(d *demo) error {
			return d.replace("till.go", "return price - percent", "return price - price*percent/100", "amount > c {", "amount >= c {")
		},
		done: func(d *demo, _ contract.RunGateOut, e contract.EvaluateOut) error {
			if e.Outcome != loopcore.OutcomeSuccess {
				return odd("the last fix", e)
			}
			return nil
		},
	},
}

// odd says that the loop did not do what the demo shows.
func odd(what string, e contract.EvaluateOut) error {
	return errors.New(what + " ended otherwise than it should: " + e.StatusLine)
}
