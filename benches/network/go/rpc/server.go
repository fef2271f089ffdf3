package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"sync/atomic"
	"time"
)

// echo is what every handler does with a body.
type echo struct {
	delay  time.Duration
	served atomic.Int64
}

func (e *echo) reply(body []byte) []byte {
	if e.delay > 0 {
		time.Sleep(e.delay)
	}
	e.served.Add(1)
	return body
}

// How long a server that stops waits for the requests under way.
const stopWithin = time.Second

// Serves until the context ends; gives the number of requests.
func serve(ctx context.Context, kind, addr string, delay time.Duration, stdout io.Writer) (int64, error) {
	var run func(context.Context, net.Listener, *echo) error
	switch kind {
	case "grpc":
		run = serveGRPC
	case "kitex-pooled":
		run = serveKitexPooled
	case "kitex-mux":
		run = serveKitexMux
	default:
		return 0, fmt.Errorf("--kind %q: it must be grpc, kitex-pooled or kitex-mux", kind)
	}
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return 0, err
	}
	// Clients can connect from now on: the kernel keeps their connections until the server accepts them.
	fmt.Fprintln(stdout, "listening", listener.Addr())
	echo := &echo{delay: delay}
	err = run(ctx, listener, echo)
	return echo.served.Load(), err
}
