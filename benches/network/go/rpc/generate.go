package main

// Writes gen/ from idl/. The versions of the generators are those of go.mod.
//
//go:generate go tool kitex -module rpc -gen-path gen/kitex idl/echo.thrift
//go:generate go run ./protoc idl/echo.proto gen/grpc
