package store

import "fixloop/loopcore/evidence"

// Dossier returns all that is stored of a session, as it was at one moment;
// the runs of its Last and Left carry failures and inventory.
func (d *DB) Dossier(session string) (evidence.Dossier, error) {
	d.mu.Lock() // no writer of ours comes in between; others show in the data version
	defer d.mu.Unlock()
	for tries := 0; ; tries++ {
		before, err := d.dataVersion()
		if err != nil {
			return evidence.Dossier{}, err
		}
		v, err := d.dossier(session)
		if err != nil {
			return v, err
		}
		if after, err := d.dataVersion(); err != nil || after == before || tries == 5 {
			return v, err
		}
	}
}

// dataVersion changes whenever another process commits.
func (d *DB) dataVersion() (int64, error) {
	var v int64
	err := d.sql.QueryRow("PRAGMA data_version").Scan(&v)
	return v, d.read("data version", err)
}

func (d *DB) dossier(session string) (evidence.Dossier, error) {
	var v evidence.Dossier
	var err error
	parts := []func() error{
		func() error { v.Session, err = d.Session(session); return err },
		func() error { v.Runs, err = d.Runs(session); return err },
		func() error { v.Decisions, err = d.Decisions(session); return err },
		func() error { v.Checkpoints, err = d.Checkpoints(session); return err },
		func() error { v.Waivers, err = d.Waivers(session); return err },
		func() error { v.Iterations, err = d.Iterations(session); return err },
		func() error { v.Chain, err = d.Chain(session); return err },
	}
	for _, part := range parts {
		if err := part(); err != nil {
			return v, err
		}
	}
	last, left := v.Last().ID, ""
	if r, ok := v.Left(); ok {
		left = r.ID
	}
	for i, r := range v.Runs {
		if r.ID == last || r.ID == left {
			if v.Runs[i], err = d.whole(r); err != nil {
				return v, err
			}
		}
	}
	return v, nil
}
