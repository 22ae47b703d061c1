package parse

// grams says which runs of three bytes occur in a text, so that a literal that
// does not occur is known by that, without a search. One pass over the text
// serves the hundreds of literals that the readers ask for.
type grams [gramWords]uint64

// gramBits is the size of the table: a hash of three bytes selects one bit.
const (
	gramBits  = 18
	gramWords = 1 << (gramBits - 6)
)

func gramOf(a, b, c byte) uint32 {
	return (uint32(a)<<16 | uint32(b)<<8 | uint32(c)) * 2654435761 >> (32 - gramBits)
}

// newGrams reads a text.
func newGrams(s string) *grams {
	g := &grams{}
	if len(s) < 3 {
		return g
	}
	v := uint32(s[0])<<8 | uint32(s[1])
	for i := 2; i < len(s); i++ {
		v = v<<8 | uint32(s[i])
		h := (v & 0xffffff) * 2654435761 >> (32 - gramBits)
		g[h>>6] |= 1 << (h & 63)
	}
	return g
}

// may reports whether the literal can occur: false is sure.
func (g *grams) may(literal string) bool {
	for i := 0; i+2 < len(literal); i++ {
		if h := gramOf(literal[i], literal[i+1], literal[i+2]); g[h>>6]&(1<<(h&63)) == 0 {
			return false
		}
	}
	return true
}

// foldedGrams reads a text as if it were in small letters.
func foldedGrams(s string) *grams {
	g := &grams{}
	if len(s) < 3 {
		return g
	}
	v := uint32(small[s[0]])<<8 | uint32(small[s[1]])
	for i := 2; i < len(s); i++ {
		v = v<<8 | uint32(small[s[i]])
		h := (v & 0xffffff) * 2654435761 >> (32 - gramBits)
		g[h>>6] |= 1 << (h & 63)
	}
	return g
}

// small maps capital letters to small ones.
var small = func() (to [256]byte) {
	for i := range to {
		to[i] = byte(i)
		if i >= 'A' && i <= 'Z' {
			to[i] += 'a' - 'A'
		}
	}
	return to
}()
