package main

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"syscall"
	"time"
)

// line is what a client prints; the clients in Rust print the same.
type line struct {
	Name     string  `json:"name"`
	Callers  int     `json:"callers"`
	Body     int     `json:"body"`
	Seconds  float64 `json:"seconds"` // from the start of the measurement to the last reply
	Requests int64   `json:"requests"`
	Errors   int64   `json:"errors"`
	TPS      float64 `json:"tps"`
	MeanUS   float64 `json:"mean_us"`
	P99US    float64 `json:"p99_us"`
	P999US   float64 `json:"p999_us"`
	MaxUS    float64 `json:"max_us"`
	CPU      float64 `json:"client_cpu"` // percent of a core, without the time before the measurement
	RSSKiB   int64   `json:"client_kib"` // the peak so far
}

func newLine(load load, times *times, took time.Duration, errors int64, used usage) line {
	us := func(ns float64) float64 { return ns / 1e3 }
	histogram := times.histogram
	line := line{
		Name:     load.kind,
		Callers:  load.callers,
		Body:     load.body,
		Seconds:  took.Seconds(),
		Requests: histogram.TotalCount(),
		Errors:   errors,
		MeanUS:   us(histogram.Mean()),
		P99US:    us(float64(histogram.ValueAtPercentile(99))),
		P999US:   us(float64(histogram.ValueAtPercentile(99.9))),
		MaxUS:    us(float64(histogram.Max())),
		RSSKiB:   used.rssKiB,
	}
	if took > 0 {
		line.TPS = float64(line.Requests) / took.Seconds()
		line.CPU = 100 * (used.user + used.system).Seconds() / took.Seconds()
	}
	return line
}

// usage is what this process has used.
type usage struct {
	user, system time.Duration
	rssKiB       int64
}

func readUsage() usage {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		return usage{}
	}
	return usage{user: time.Duration(r.Utime.Nano()), system: time.Duration(r.Stime.Nano()), rssKiB: peakKiB()}
}

func (u usage) since(before usage) usage {
	return usage{user: u.user - before.user, system: u.system - before.system, rssKiB: u.rssKiB}
}

// The largest resident set, from Linux; 0 elsewhere. What getrusage has may be that of the parent process.
func peakKiB() int64 {
	file, err := os.Open("/proc/self/status")
	if err != nil {
		return 0
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		if value, ok := strings.CutPrefix(lines.Text(), "VmHWM:"); ok {
			var kib int64
			fmt.Sscan(value, &kib)
			return kib
		}
	}
	return 0
}
