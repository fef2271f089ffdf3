package main

// Errors of the Go modules that the reports of main.go cannot show. SPEC.md §11.3 lists them; `go test` reproduces them.

import (
	"bytes"
	"encoding/hex"
	"runtime"
	"testing"

	y3 "github.com/yomorun/y3"
	codec "github.com/yomorun/y3-codec-golang"
)

func panics(call func()) (did bool) {
	defer func() { did = recover() != nil }()
	call()
	return
}

// The packet declares 1 MiB; 64 bytes of it arrive, one at a time.
func TestReadPacketReservesWhatALengthSays(t *testing.T) {
	input := append([]byte{0x01, 0x80, 0xc0, 0x80, 0x00}, make([]byte, 64)...)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := y3.ReadPacket(pieces{bytes.NewReader(input), 1})
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; err == nil || took < 64<<20 {
		t.Errorf("%v, and %d bytes allocated for %d", err, took, len(input))
	}
}

func TestNoBytesAreANodeWithoutATag(t *testing.T) {
	packet, consumed, err := codec.DecodeNodePacket(nil)
	if packet == nil || consumed != 0 || err != nil {
		t.Fatal(packet, consumed, err)
	}
	if !panics(func() { packet.SeqID() }) {
		t.Error("it has a key")
	}
}

func TestASecondEncodeIsNotTheFirst(t *testing.T) {
	primitive, node := codec.NewPrimitivePacketEncoder(0x01), codec.NewNodePacketEncoder(0x01)
	primitive.SetInt32Value(5)
	primitive.Encode()
	if again := hex.EncodeToString(primitive.Encode()); again != "010105010105" {
		t.Error(again)
	}
	node.Encode()
	if !panics(func() { node.Encode() }) {
		t.Error("a node is written again")
	}
}

// Inside a parent, the value of an empty node is everything from its tag to the end of the parent.
func TestTheValueOfAnEmptyNodeIsWhatItWasReadFrom(t *testing.T) {
	var packet y3.NodePacket
	if _, err := y3.DecodeToNodePacket([]byte{0x84, 0x05, 0x83, 0x00, 0x01, 0x01, 0x05}, &packet); err != nil {
		t.Fatal(err)
	}
	empty := packet.NodePackets[3]
	if value := hex.EncodeToString(empty.GetValBuf()); value != "8300010105" || empty.Length() != 0 {
		t.Error(value, empty.Length())
	}
}

// The parent ends after the child's header. The child keeps its declared length but loses its content.
func TestPacketsBehindTheParentsEndAreLeftOut(t *testing.T) {
	input := []byte{0x84, 0x02, 0x83, 0x03, 0x01, 0x01, 0x05}
	var packet y3.NodePacket
	if _, err := y3.DecodeToNodePacket(input, &packet); err != nil {
		t.Fatal(err)
	}
	if child := packet.NodePackets[3]; child.Length() != 3 || len(child.PrimitivePackets) != 0 {
		t.Error(child.Length(), child.PrimitivePackets)
	}
	other, _, err := codec.DecodeNodePacket(input)
	if err != nil {
		t.Fatal(err)
	}
	if child := other.NodePackets[0]; child.Length() != 3 || len(child.PrimitivePackets) != 0 {
		t.Error(child.Length(), child.PrimitivePackets)
	}
}
