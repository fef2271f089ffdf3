// Rpc is an echo over gRPC and Kitex, server and client, to stand beside the echo over y3: same callers, same bodies, same line.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/cloudwego/kitex/pkg/klog"
)

const help = `An echo over gRPC and Kitex.

    rpc server --kind grpc|kitex-pooled|kitex-mux [--addr 127.0.0.1:0] [--delay 0s]
    rpc client --kind grpc|kitex-pooled|kitex-mux --addr ADDR [--callers 100] [--body 1024] [--seconds 3] [--warm 0.5]

The server prints "listening ADDR" first, and serves until Ctrl-C. The client prints one line of JSON.
"rpc server --help" and "rpc client --help" explain the options.
`

// The largest body: gRPC's limit of 4 MiB for a message, less room for what surrounds it.
const maxBody = 4<<20 - 1<<10

func main() {
	klog.SetLevel(klog.LevelError)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
	case err != nil:
		fmt.Fprintln(os.Stderr, "rpc:", err)
		stop()
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	command := ""
	if len(args) > 0 {
		command = args[0]
	}
	switch command {
	case "server":
		return serverCommand(ctx, args[1:], stdout, stderr)
	case "client":
		return clientCommand(ctx, args[1:], stdout, stderr)
	case "help", "-h", "-help", "--help":
		fmt.Fprint(stdout, help)
		return nil
	default:
		fmt.Fprint(stderr, help)
		return fmt.Errorf("%q is no command", command)
	}
}

func serverCommand(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("rpc server", flag.ContinueOnError)
	flags.SetOutput(stderr)
	kind := flags.String("kind", "", "grpc, kitex-pooled, kitex-mux: the kind of its clients")
	addr := flags.String("addr", "127.0.0.1:0", "where to listen; port 0 takes a free one")
	delay := flags.Duration("delay", 0, "how long the handler waits before it replies, as 5ms")
	if err := parse(flags, args); err != nil {
		return err
	}
	if *delay < 0 {
		return fmt.Errorf("--delay is %s: it must not be negative", *delay)
	}
	served, err := serve(ctx, *kind, *addr, *delay, stdout)
	if err == nil {
		fmt.Fprintf(stderr, "rpc: %s served %d requests\n", *kind, served)
	}
	return err
}

func clientCommand(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("rpc client", flag.ContinueOnError)
	flags.SetOutput(stderr)
	var load load
	flags.StringVar(&load.kind, "kind", "", "grpc, kitex-pooled, kitex-mux")
	flags.StringVar(&load.addr, "addr", "", "the server's address")
	flags.IntVar(&load.callers, "callers", 100, "callers at the same time, each with one request under way")
	flags.IntVar(&load.body, "body", 1024, "bytes of a body")
	seconds := flags.Float64("seconds", 3, "how long to measure")
	warm := flags.Float64("warm", 0.5, "how long to call before that")
	patience := flags.Float64("patience", 5, "how long after that to wait for the last replies; those that miss are errors")
	if err := parse(flags, args); err != nil {
		return err
	}
	load.seconds = time.Duration(*seconds * float64(time.Second))
	load.warm = time.Duration(*warm * float64(time.Second))
	load.patience = time.Duration(*patience * float64(time.Second))
	if err := load.check(); err != nil {
		return err
	}
	return measure(ctx, load, stdout)
}

func parse(flags *flag.FlagSet, args []string) error {
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("%q is no option", flags.Arg(0))
	}
	return nil
}
