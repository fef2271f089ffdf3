package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// load is what a client does: a closed loop, in which each caller sends, waits, and sends again.
type load struct {
	kind, addr    string
	callers, body int
	seconds, warm time.Duration
	patience      time.Duration // the maximum time to wait for the last replies
}

// call sends a body and gives the body of the reply. It has no context that can end: with one, Kitex runs each call in a
// goroutine of its own, which costs it up to a third of its throughput.
type call func(body []byte) ([]byte, error)

func (l load) check() error {
	switch {
	case l.addr == "":
		return errors.New("--addr is missing: it is what the server prints after \"listening\"")
	case l.callers < 1 || l.callers > 100_000:
		return fmt.Errorf("--callers is %d: it must be 1 to 100000", l.callers)
	case l.body < 0 || l.body > maxBody:
		return fmt.Errorf("--body is %d: it must be 0 to %d", l.body, maxBody)
	case l.seconds <= 0 || l.seconds > time.Hour:
		return fmt.Errorf("--seconds is %g: it must be above 0, at most 3600", l.seconds.Seconds())
	case l.warm < 0 || l.warm > time.Hour:
		return fmt.Errorf("--warm is %g: it must be 0 to 3600", l.warm.Seconds())
	case l.patience < 0 || l.patience > time.Hour:
		return fmt.Errorf("--patience is %g: it must be 0 to 3600", l.patience.Seconds())
	}
	return nil
}

func (l load) connect() (newCall func() call, err error) {
	switch l.kind {
	case "grpc":
		return connectGRPC(l)
	case "kitex-pooled":
		return connectKitexPooled(l)
	case "kitex-mux":
		return connectKitexMux(l)
	}
	return nil, fmt.Errorf("--kind %q: it must be grpc, kitex-pooled or kitex-mux", l.kind)
}

// times are the latencies of some callers, in nanoseconds.
type times struct {
	sync.Mutex
	histogram *hdrhistogram.Histogram
	last      time.Time
}

func newTimes() *times {
	return &times{histogram: hdrhistogram.New(1, int64(time.Hour), 3)}
}

func (t *times) record(from, to time.Time) error {
	t.Lock()
	defer t.Unlock()
	if to.After(t.last) {
		t.last = to
	}
	return t.histogram.RecordValue(int64(to.Sub(from)))
}

// Runs the load and prints its line. A caller stops at its first error.
func measure(ctx context.Context, load load, stdout io.Writer) error {
	newCall, err := load.connect()
	if err != nil {
		return err
	}
	// Callers share a few histograms, because each takes 200 KiB.
	shards := make([]*times, runtime.GOMAXPROCS(0))
	for i := range shards {
		shards[i] = newTimes()
	}
	callers := make([]caller, load.callers)
	for i := range callers {
		callers[i] = caller{call: newCall(), body: newBody(load.body, i), times: shards[i%len(shards)]}
	}

	// A request counts if it starts between these two times. Its reply is always waited for, so slow replies count too.
	from := time.Now().Add(load.warm)
	until := from.Add(load.seconds)
	var running atomic.Int64
	var failed failure
	done := make(chan struct{})
	running.Store(int64(load.callers))
	for i := range callers {
		go func() {
			if err := callers[i].run(ctx, from, until); err != nil {
				failed.add(err)
			}
			if running.Add(-1) == 0 {
				close(done)
			}
		}()
	}

	before := readUsage()
	warm := time.NewTimer(time.Until(from))
	defer warm.Stop()
	limit := time.NewTimer(time.Until(until) + load.patience)
	defer limit.Stop()
wait:
	for {
		select {
		case <-warm.C:
			before = readUsage()
		case <-limit.C:
			for range running.Load() {
				failed.add(fmt.Errorf("no reply within %s", load.patience))
			}
			break wait
		case <-done:
			break wait
		case <-ctx.Done():
			break wait
		}
	}
	used := readUsage().since(before)

	all := newTimes()
	for _, shard := range shards {
		shard.Lock()
		all.histogram.Merge(shard.histogram)
		if shard.last.After(all.last) {
			all.last = shard.last
		}
		shard.Unlock()
	}
	errorCount, firstError := failed.get()
	line := newLine(load, all, max(all.last.Sub(from), 0), errorCount, used)
	if err := json.NewEncoder(stdout).Encode(line); err != nil {
		return err
	}
	switch {
	case firstError != nil:
		return fmt.Errorf("%s at %s: %d errors, the first: %w", load.kind, load.addr, errorCount, firstError)
	case ctx.Err() != nil:
		return errors.New("stopped before the end")
	case line.Requests == 0:
		return errors.New("no request started in the time measured")
	}
	return nil
}

// failure counts errors and keeps the first.
type failure struct {
	sync.Mutex
	count int64
	first error
}

func (f *failure) add(err error) {
	f.Lock()
	defer f.Unlock()
	f.count++
	if f.first == nil {
		f.first = err
	}
}

func (f *failure) get() (int64, error) {
	f.Lock()
	defer f.Unlock()
	return f.count, f.first
}

type caller struct {
	call  call
	body  []byte
	times *times
}

func (c *caller) run(ctx context.Context, from, until time.Time) error {
	for n := uint64(0); ; n++ {
		// Each request has another body, so that a reply to another request is noticed.
		var number [8]byte
		binary.LittleEndian.PutUint64(number[:], n)
		copy(c.body, number[:])
		start := time.Now()
		if !start.Before(until) || ctx.Err() != nil {
			return nil
		}
		reply, err := c.call(c.body)
		end := time.Now()
		if err != nil {
			return err
		}
		if !bytes.Equal(reply, c.body) {
			return fmt.Errorf("a reply of %d bytes differs from its request of %d", len(reply), len(c.body))
		}
		if !start.Before(from) {
			if err := c.times.record(start, end); err != nil {
				return err
			}
		}
	}
}

// A body of bytes that differ from caller to caller.
func newBody(size, caller int) []byte {
	body := make([]byte, size)
	for i := range body {
		body[i] = byte(caller*31 + i*7 + i>>8)
	}
	return body
}
