package main

import (
	"context"
	"net"
	"time"

	"github.com/cloudwego/kitex/client"
	"github.com/cloudwego/kitex/pkg/connpool"
	"github.com/cloudwego/kitex/server"
	"github.com/cloudwego/kitex/transport"

	thrift "rpc/gen/kitex/echo"
	service "rpc/gen/kitex/echo/echo"
)

type kitexHandler struct{ echo *echo }

func (h *kitexHandler) Echo(_ context.Context, request *thrift.Request) (*thrift.Response, error) {
	return &thrift.Response{Body: h.echo.reply(request.Body)}, nil
}

// The plain server takes the framed protocol, which is the quickest over a pool; it replies in order on each connection.
func serveKitexPooled(ctx context.Context, listener net.Listener, echo *echo) error {
	return serveKitex(ctx, listener, echo)
}

// The server for multiplexed clients, without which requests of one connection wait for each other. It takes TTHeader alone.
func serveKitexMux(ctx context.Context, listener net.Listener, echo *echo) error {
	return serveKitex(ctx, listener, echo, server.WithMuxTransport())
}

func serveKitex(ctx context.Context, listener net.Listener, echo *echo, options ...server.Option) error {
	stop := make(chan error, 1)
	defer context.AfterFunc(ctx, func() { stop <- nil })()
	options = append(options,
		server.WithListener(listener),
		server.WithExitWaitTime(stopWithin),
		server.WithExitSignal(func() <-chan error { return stop }),
	)
	return service.NewServer(&kitexHandler{echo}, options...).Run()
}

// Long connections, one for each caller.
func connectKitexPooled(load load) (newCall func() call, err error) {
	return connectKitex(load, client.WithTransportProtocol(transport.Framed), client.WithLongConnection(connpool.IdleConfig{
		MaxIdlePerAddress: load.callers,
		MaxIdleGlobal:     load.callers,
		MaxIdleTimeout:    time.Minute,
	}))
}

// One connection for all callers. Kitex's documentation: one or two are enough.
func connectKitexMux(load load) (newCall func() call, err error) {
	return connectKitex(load, client.WithMuxConnection(1))
}

func connectKitex(load load, options ...client.Option) (newCall func() call, err error) {
	options = append(options,
		client.WithHostPorts(load.addr),
		// The default of 50 ms is too short for a thousand callers that connect at once on one core.
		client.WithConnectTimeout(5*time.Second),
	)
	client, err := service.NewClient("echo", options...)
	if err != nil {
		return nil, err
	}
	return func() call {
		var request thrift.Request
		return func(body []byte) ([]byte, error) {
			request.Body = body
			response, err := client.Echo(context.Background(), &request)
			if err != nil {
				return nil, err
			}
			return response.Body, nil
		}
	}, nil
}
