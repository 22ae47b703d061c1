package parse

// Readers is the table of text readers; the order is the precedence. Add one
// line here, one file beside it, one folder under testdata/parse.
var Readers = []Reader{
	// runners that name every failure between unmistakable markers
	goTest,
	// builds
	goBuild,
	// linters whose lines look like many others'
	goVet,
}
