// Package loopcore holds the words and the rules of the loop as plain values:
// gate, run, failure, finding, policy, decision. It does no I/O, reads no clock
// and keeps no state, so that every decision can be tested as a table.
//
// The floors above it: parse, guard and stack decide over bytes and values;
// server/engine sequences the I/O; tools and cmd only translate.
package loopcore
