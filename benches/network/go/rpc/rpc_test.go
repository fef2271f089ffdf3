package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"
)

var kinds = []string{"grpc", "kitex-pooled", "kitex-mux"}

// The test program is the program itself if it is told so: servers and clients are processes of their own, as they are in use.
const asProgram = "RPC_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

func program(args ...string) *exec.Cmd {
	command := exec.Command(os.Args[0], args...)
	command.Env = append(os.Environ(), asProgram+"=1")
	return command
}

// Starts a server, which ends with the test, by an interrupt; gives its address.
func start(t *testing.T, kind string, delay time.Duration) string {
	t.Helper()
	command := program("server", "--kind", kind, "--delay", delay.String())
	var log bytes.Buffer
	command.Stderr = &log
	stdout, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		command.Process.Signal(os.Interrupt)
		kill := time.AfterFunc(10*time.Second, func() { command.Process.Kill() })
		defer kill.Stop()
		if err := command.Wait(); err != nil || !strings.Contains(log.String(), "served") {
			t.Errorf("%s ends with %v: %s", kind, err, log.String())
		}
	})
	first, err := bufio.NewReader(stdout).ReadString('\n')
	addr, found := strings.CutPrefix(strings.TrimSpace(first), "listening ")
	if err != nil || !found {
		t.Fatalf("%s printed %q, %v", kind, first, err)
	}
	return addr
}

// Eight callers, 1 KiB and a fifth of a second, unless options say otherwise; gives the line that the client prints.
func measured(kind, addr string, options ...string) (line, error) {
	args := []string{"client", "--kind", kind, "--addr", addr, "--callers", "8", "--body", "1024", "--seconds", "0.2", "--warm", "0"}
	command := program(append(args, options...)...)
	var log bytes.Buffer
	command.Stderr = &log
	stdout, err := command.Output()
	if err != nil {
		err = fmt.Errorf("%w: %s", err, log.String())
	}
	var line line
	if len(stdout) > 0 {
		if err := json.Unmarshal(stdout, &line); err != nil {
			return line, err
		}
	}
	return line, err
}

func each(t *testing.T, test func(t *testing.T, kind string)) {
	for _, kind := range kinds {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			test(t, kind)
		})
	}
}

func TestEachReplyEqualsItsRequest(t *testing.T) {
	each(t, func(t *testing.T, kind string) {
		addr := start(t, kind, 0)
		for _, body := range []int{0, 1, 8, 1024, 5 * 1024, 100 * 1024, maxBody} {
			line, err := measured(kind, addr, "--body", fmt.Sprint(body), "--seconds", "0.05")
			if err != nil || line.Requests == 0 || line.Errors != 0 {
				t.Errorf("%d bytes: %+v, %v", body, line, err)
			}
		}
	})
}

func TestTheLineHasPlausibleFigures(t *testing.T) {
	each(t, func(t *testing.T, kind string) {
		line, err := measured(kind, start(t, kind, 0), "--warm", "0.05")
		if err != nil {
			t.Fatal(err)
		}
		ordered := 0 < line.MeanUS && line.MeanUS <= line.MaxUS && line.P99US <= line.P999US && line.P999US <= line.MaxUS
		if !ordered || line.Name != kind || line.Callers != 8 || line.Body != 1024 || line.RSSKiB == 0 || line.CPU <= 0 {
			t.Errorf("%+v", line)
		}
		if seconds := line.Seconds; seconds < 0.15 || seconds > 5 || line.TPS < 0.99*float64(line.Requests)/seconds {
			t.Errorf("%+v", line)
		}
	})
}

// If the requests of a connection waited for each other, the last of eight would take eight delays.
func TestDelayedRequestsDoNotWaitForEachOther(t *testing.T) {
	each(t, func(t *testing.T, kind string) {
		const delay = 100 * time.Millisecond
		line, err := measured(kind, start(t, kind, delay), "--seconds", "0.2")
		if err != nil || line.MeanUS < float64(delay.Microseconds()) || line.MaxUS > float64(5*delay.Microseconds()) {
			t.Errorf("%+v, %v", line, err)
		}
	})
}

func TestGarbageHarmsNobodyElse(t *testing.T) {
	each(t, func(t *testing.T, kind string) {
		addr := start(t, kind, 0)
		var other sync.WaitGroup
		other.Go(func() {
			if line, err := measured(kind, addr, "--seconds", "1"); err != nil || line.Requests == 0 {
				t.Errorf("beside the garbage: %+v, %v", line, err)
			}
		})
		random := rand.NewChaCha8([32]byte{1})
		for i := range 100 {
			var sent []byte
			switch i % 5 {
			case 0: // nothing, and a reset
			case 1:
				sent = make([]byte, 1+random.Uint64()%2000)
				random.Read(sent)
			case 2: // a frame of 2 GiB that says it is Thrift
				sent = binary.BigEndian.AppendUint32(nil, 1<<31-1)
				sent = append(sent, 0x80, 1, 0, 1)
			case 3: // the same with a TTHeader
				sent = binary.BigEndian.AppendUint32(nil, 1<<31-1)
				sent = append(sent, 0x10, 0, 0, 0, 0, 0, 0, 1, 0xff, 0xff)
			case 4: // the start of HTTP/2, and a frame of 16 MiB
				sent = append([]byte("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), 0xff, 0xff, 0xff, 0, 0, 0, 0, 0, 1)
			}
			connection, err := net.Dial("tcp", addr)
			if err != nil {
				t.Fatal(err)
			}
			defer connection.Close() // some stay open until the end
			if _, err := connection.Write(sent); err != nil {
				continue // it has refused already
			}
			if i%2 == 0 {
				connection.(*net.TCPConn).SetLinger(0)
				connection.Close()
			}
		}
		other.Wait()
		if line, err := measured(kind, addr); err != nil || line.Requests == 0 {
			t.Errorf("after the garbage: %+v, %v", line, err)
		}
	})
}

func TestACallerStopsAtAReplyThatDiffers(t *testing.T) {
	now := time.Now()
	calls := 0
	caller := caller{body: newBody(16, 0), times: newTimes()}
	caller.call = func(body []byte) ([]byte, error) {
		calls++
		reply := bytes.Clone(body)
		if calls == 3 {
			reply[15]++
		}
		return reply, nil
	}
	if err := caller.run(context.Background(), now, now.Add(time.Minute)); err == nil || calls != 3 || caller.times.histogram.TotalCount() != 2 {
		t.Errorf("%d calls, %v", calls, err)
	}
}

func TestRequestsHaveDifferentBodies(t *testing.T) {
	now := time.Now()
	seen := map[string]bool{}
	for i := range 10 {
		ctx, stop := context.WithCancel(context.Background())
		caller := caller{body: newBody(16, i), times: newTimes()}
		n := 0
		caller.call = func(body []byte) ([]byte, error) {
			if n++; n == 10 {
				stop()
			}
			seen[string(body)] = true
			return body, nil
		}
		if err := caller.run(ctx, now, now.Add(time.Minute)); err != nil {
			t.Fatal(err)
		}
		stop()
	}
	if len(seen) != 100 {
		t.Errorf("%d bodies of 100 requests", len(seen))
	}
}

func TestASilentPeerIsAnErrorOfEachCaller(t *testing.T) {
	each(t, func(t *testing.T, kind string) {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer listener.Close()
		line, err := measured(kind, listener.Addr().String(), "--patience", "0.3")
		if err == nil || line.Errors != 8 || line.Requests != 0 {
			t.Errorf("%+v, %v", line, err)
		}
	})
}

func TestAMissingServerIsNamed(t *testing.T) {
	each(t, func(t *testing.T, kind string) {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		addr := listener.Addr().String()
		listener.Close()
		if _, err := measured(kind, addr); err == nil || !strings.Contains(err.Error(), "dial tcp "+addr) {
			t.Errorf("%v", err)
		}
	})
}

func TestATakenPortIsNamed(t *testing.T) {
	each(t, func(t *testing.T, kind string) {
		addr := start(t, kind, 0)
		err := run(context.Background(), []string{"server", "--kind", kind, "--addr", addr}, io.Discard, io.Discard)
		if err == nil || !strings.Contains(err.Error(), "in use") || !strings.Contains(err.Error(), addr) {
			t.Errorf("%v", err)
		}
	})
}

func TestOptionsHaveLimits(t *testing.T) {
	good := []string{"client", "--kind", "grpc", "--addr", "127.0.0.1:1"}
	for _, test := range []struct{ option, inside, outside string }{
		{"--callers", "1", "0"},
		{"--callers", "100000", "100001"},
		{"--body", "0", "-1"},
		{"--body", fmt.Sprint(maxBody), fmt.Sprint(maxBody + 1)},
		{"--seconds", "0.001", "0"},
		{"--seconds", "3600", "3601"},
		{"--warm", "0", "-1"},
		{"--warm", "3600", "3601"},
		{"--patience", "0", "-1"},
		{"--patience", "3600", "3601"},
	} {
		ctx, stop := context.WithCancel(context.Background())
		stop() // the ones inside their limits end at once
		for value, refused := range map[string]bool{test.inside: false, test.outside: true} {
			args := append(append([]string{}, good...), test.option, value)
			if test.option != "--callers" {
				args = append(args, "--callers", "1")
			}
			err := run(ctx, args, io.Discard, io.Discard)
			if is := err != nil && strings.HasPrefix(err.Error(), test.option+" is "); is != refused {
				t.Errorf("%s %s: %v", test.option, value, err)
			}
		}
	}
	for _, args := range []string{
		"", "serve", "server", "server --kind kitex", "server --kind grpc --delay -1ms", "server --kind grpc extra", "client --kind grpc",
		"client --kind tonic --addr 127.0.0.1:1", "client --kind grpc --addr 127.0.0.1:1 --callers many",
	} {
		if err := run(context.Background(), strings.Fields(args), io.Discard, io.Discard); err == nil {
			t.Errorf("%q is taken", args)
		}
	}
}
