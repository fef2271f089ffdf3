package main

import (
	"context"
	"net"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	pb "rpc/gen/grpc"
)

type grpcHandler struct {
	pb.UnimplementedEchoServer
	echo *echo
}

func (h grpcHandler) Echo(_ context.Context, request *pb.Request) (*pb.Response, error) {
	return &pb.Response{Body: h.echo.reply(request.Body)}, nil
}

func serveGRPC(ctx context.Context, listener net.Listener, echo *echo) error {
	server := grpc.NewServer()
	pb.RegisterEchoServer(server, grpcHandler{echo: echo})
	defer context.AfterFunc(ctx, func() {
		time.AfterFunc(stopWithin, server.Stop)
		server.GracefulStop()
	})()
	return server.Serve(listener)
}

// One channel, that is one connection, for all callers, as gRPC's performance guide recommends.
func connectGRPC(load load) (newCall func() call, err error) {
	connection, err := grpc.NewClient("passthrough:///"+load.addr, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return nil, err
	}
	client := pb.NewEchoClient(connection)
	return func() call {
		var request pb.Request
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
