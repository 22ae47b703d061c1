package store

import (
	"database/sql"
	"sync"
)

// prepared is a database that compiles each question once: compiling takes
// longer than answering, and a run asks the same few dozen again and again.
type prepared struct {
	*sql.DB
	mu  sync.Mutex
	all map[string]*sql.Stmt // by text; every text is a constant of this package
}

// statement returns the compiled question; nil where it does not compile, and
// asking will tell why.
func (p *prepared) statement(query string) *sql.Stmt {
	p.mu.Lock()
	defer p.mu.Unlock()
	if st := p.all[query]; st != nil {
		return st
	}
	st, err := p.DB.Prepare(query)
	if err != nil {
		return nil
	}
	if p.all == nil {
		p.all = map[string]*sql.Stmt{}
	}
	p.all[query] = st
	return st
}

// Query is that of sql.DB.
func (p *prepared) Query(query string, args ...any) (*sql.Rows, error) {
	if st := p.statement(query); st != nil {
		return st.Query(args...)
	}
	return p.DB.Query(query, args...)
}

// QueryRow is that of sql.DB.
func (p *prepared) QueryRow(query string, args ...any) *sql.Row {
	if st := p.statement(query); st != nil {
		return st.QueryRow(args...)
	}
	return p.DB.QueryRow(query, args...)
}
