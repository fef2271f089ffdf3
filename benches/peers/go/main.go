// Y3bench times how the published Go modules and encoding/json read one watched value from the four payloads of the published
// report. It prints a line of JSON for each scenario, codec and mode. Every answer is checked, before and while it is timed.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"testing"
)

const vectors = "../../../tests/vectors/scenarios.json"

// The largest scenario is first, as in the report.
var scenarios = []string{"C63-K32", "C32-K16", "C16-K08", "C03-K02"}

// figure is a line of the output.
type figure struct {
	Scenario    string  `json:"scenario"`
	Codec       string  `json:"codec"`
	Mode        string  `json:"mode"`
	NS          float64 `json:"ns"`
	Allocations int64   `json:"allocations"`
	Bytes       int64   `json:"bytes"`
	Go          string  `json:"go"`
	Version     string  `json:"version"`
}

func main() {
	testing.Init()
	quick := flag.Bool("quick", false, "measure each case for a quarter of the time")
	flag.Parse()
	benchtime := "200ms"
	if *quick {
		benchtime = "50ms"
	}
	err := flag.Set("test.benchtime", benchtime)
	if err == nil {
		err = run()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	file, err := os.ReadFile(vectors)
	if err != nil {
		return err
	}
	var all struct{ Cases []*scenario }
	if err := json.Unmarshal(file, &all); err != nil {
		return err
	}
	byName := map[string]*scenario{}
	for _, scenario := range all.Cases {
		byName[scenario.Name] = scenario
	}
	out := json.NewEncoder(os.Stdout)
	for _, name := range scenarios {
		scenario := byName[name]
		if scenario == nil {
			return fmt.Errorf("%s: no scenario %s", vectors, name)
		}
		if err := scenario.decode(); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		for _, way := range ways {
			if !way.take(scenario) {
				return fmt.Errorf("%s: %s finds another value than %+v, or none", name, way.codec, scenario.Want)
			}
			for _, mode := range modes {
				result := testing.Benchmark(func(b *testing.B) {
					b.ReportAllocs()
					mode.loop(b, way, scenario)
				})
				line := figure{
					Scenario:    name,
					Codec:       way.codec,
					Mode:        mode.name,
					NS:          float64(result.T.Nanoseconds()) / float64(result.N),
					Allocations: result.AllocsPerOp(),
					Bytes:       result.AllocedBytesPerOp(),
					Go:          runtime.Version(),
					Version:     version(way.module),
				}
				if err := out.Encode(line); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

var modes = []struct {
	name string
	loop func(*testing.B, way, *scenario)
}{{"serial", serial}, {"parallel", parallel}}

func serial(b *testing.B, way way, scenario *scenario) {
	for i := 0; i < b.N; i++ {
		if !way.take(scenario) {
			panic("another value")
		}
	}
}

func parallel(b *testing.B, way way, scenario *scenario) {
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if !way.take(scenario) {
				panic("another value")
			}
		}
	})
}

// version returns the version of a module in this program, or the version of Go if the module's name is empty.
func version(module string) string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, dependency := range info.Deps {
			if dependency.Path == module {
				return dependency.Version
			}
		}
	}
	return runtime.Version()
}
