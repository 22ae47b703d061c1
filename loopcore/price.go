package loopcore

import "strings"

// prices are list prices in US dollars for a million tokens, by a word in the
// model's name; the first match holds. They serve the cost limit only, and err
// on the dear side; .fixloop.yaml may set the limit, never the bill.
var prices = []struct {
	word                 string
	input, output, cache float64
}{
	{"haiku", 1, 5, 0.1},
	{"sonnet", 3, 15, 0.3},
	{"opus", 15, 75, 1.5},
	{"mini", 0.6, 2.4, 0.15},
	{"flash", 0.5, 3, 0.1},
	{"gemini", 2.5, 15, 0.3},
	{"gpt", 2.5, 15, 0.3},
	{"codex", 2.5, 15, 0.3},
	{"", 3, 15, 0.3},
}

// Cost is what that many tokens of a model cost in US dollars, by list price.
// Cached tokens are those read from a prompt cache, counted apart from input.
func Cost(model string, input, output, cache int64) float64 {
	model = strings.ToLower(model)
	for _, p := range prices {
		if strings.Contains(model, p.word) {
			return (float64(input)*p.input + float64(output)*p.output + float64(cache)*p.cache) / 1e6
		}
	}
	return 0
}
