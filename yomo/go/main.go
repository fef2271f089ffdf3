// Command yomo runs a server, a source or a stream function of YoMo, as published, for the tests and
// examples of y3-yomo. It ends at the end of its input, so that it never outlives the process that started it.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/yomorun/yomo"
	"github.com/yomorun/yomo/core"
	"github.com/yomorun/yomo/core/frame"
	"github.com/yomorun/yomo/core/ylog"
)

const usage = `usage: yomo server|source|function [flags]

  server    serves on a free port, prints "listening ADDRESS"
  source    writes numbered messages, prints "written N"
  function  checks numbered messages, prints "ready", then "seen N wrong W unordered U"

Each ends at the end of its input, or after --seconds.
`

func main() {
	if len(os.Args) < 2 {
		fmt.Fprint(os.Stderr, usage)
		os.Exit(2)
	}
	flags := flag.NewFlagSet(os.Args[1], flag.ExitOnError)
	seconds := flags.Int("seconds", 600, "end after so many seconds")
	addr := flags.String("addr", "127.0.0.1:0", "address to serve on, or of the server")
	verbose := flags.Bool("verbose", false, "log what YoMo does to stderr")
	var run func()
	switch os.Args[1] {
	case "server":
		run = server(flags, addr)
	case "source":
		run = source(flags, addr)
	case "function":
		run = function(flags, addr)
	default:
		fmt.Fprint(os.Stderr, usage)
		os.Exit(2)
	}
	_ = flags.Parse(os.Args[2:])
	time.AfterFunc(time.Duration(*seconds)*time.Second, func() { fail("not ended after %d seconds", *seconds) })
	level := slog.LevelError + 1
	if *verbose {
		level = slog.LevelDebug
	}
	logger = slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: level}))
	ylog.SetDefault(logger)
	run()
	_, _ = io.Copy(io.Discard, os.Stdin)
	os.Exit(0)
}

var logger *slog.Logger

func fail(format string, arguments ...any) {
	// The parent process reads the output.
	fmt.Printf("failed "+strings.TrimSuffix(format, "\n")+"\n", arguments...)
	os.Exit(1)
}

func server(flags *flag.FlagSet, addr *string) func() {
	token := flags.String("token", "", "the token that clients have to show")
	connectTo := flags.String("connect-to", "", "send all clients to this address")
	goawayAfter := flags.Int64("goaway-after", 0, "evict a client with its data frame of this number")
	return func() {
		options := []yomo.ZipperOption{
			yomo.WithZipperLogger(logger),
			yomo.WithZipperFrameMiddleware(evict(*goawayAfter)),
		}
		if *token != "" {
			options = append(options, yomo.WithAuth("token", *token))
		}
		if *connectTo != "" {
			options = append(options, yomo.WithVersionNegotiateFunc(func(string, string) error {
				return &core.ErrConnectTo{Endpoint: *connectTo}
			}))
		}
		zipper, err := yomo.NewZipper("zipper", nil, options...)
		if err != nil {
			fail("%v", err)
		}
		udp, err := net.ResolveUDPAddr("udp", *addr)
		if err != nil {
			fail("%v", err)
		}
		conn, err := net.ListenUDP("udp", udp)
		if errors.Is(err, syscall.EADDRINUSE) {
			fail("the port of %s is taken by another program", *addr)
		} else if err != nil {
			fail("%v", err)
		}
		// A zipper is a core.Server, which serves a socket whose port is known.
		go func() { fail("%v", zipper.(*core.Server).Serve(nil, conn)) }()
		fmt.Println("listening", conn.LocalAddr())
	}
}

// evict sends a goaway frame after so many frames of all clients, to the client of the last one.
func evict(after int64) core.FrameMiddleware {
	var frames atomic.Int64
	return func(next core.FrameHandler) core.FrameHandler {
		return func(c *core.Context) {
			next(c)
			if frames.Add(1) == after {
				_ = c.Connection.FrameConn().WriteFrame(&frame.GoawayFrame{Message: "moved to another house"})
			}
		}
	}
}

func source(flags *flag.FlagSet, addr *string) func() {
	tag := flags.Uint("tag", 0x33, "tag of the messages")
	target := flags.String("target", "", "the target of the messages")
	count := flags.Int("count", 2000, "how many messages")
	return func() {
		source := yomo.NewSource("go-source", *addr, yomo.WithLogger(logger))
		if err := source.Connect(); err != nil {
			fail("%v", err)
		}
		for i := range *count {
			if err := source.WriteWithTarget(uint32(*tag), message(i), *target); err != nil {
				fail("%v", err)
			}
		}
		fmt.Println("written", *count)
	}
}

func function(flags *flag.FlagSet, addr *string) func() {
	tags := flags.String("tags", "51", "tags to observe, separated by commas")
	count := flags.Int("count", 2000, "how many messages to wait for")
	target := flags.String("target", "", "the target that is wanted")
	return func() {
		sfn := yomo.NewStreamFunction("go-function", *addr, yomo.WithSfnLogger(logger))
		sfn.SetObserveDataTags(numbers(*tags)...)
		sfn.SetWantedTarget(*target)
		// A handler gets each message in its own goroutine. Only a pipe handler gets messages in order.
		_ = sfn.SetPipeHandler(func(in <-chan []byte, _ chan<- *frame.DataFrame) { check(in, *count) })
		if err := sfn.Connect(); err != nil {
			fail("%v", err)
		}
		fmt.Println("ready")
	}
}

func check(in <-chan []byte, count int) {
	wrong, unordered := 0, 0
	for i := range count {
		payload := <-in
		if number, ok := numberOf(payload); !ok || !bytes.Equal(payload, message(number)) {
			wrong++
		} else if number != i {
			unordered++
		}
	}
	fmt.Println("seen", count, "wrong", wrong, "unordered", unordered)
	for range in {
	}
}

func numbers(list string) (tags []uint32) {
	for _, text := range strings.Split(list, ",") {
		tag, err := strconv.ParseUint(text, 0, 32)
		if err != nil {
			fail("%v", err)
		}
		tags = append(tags, uint32(tag))
	}
	return tags
}
