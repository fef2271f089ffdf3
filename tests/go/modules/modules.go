// Package modules wraps the two published Go modules in one interface for reading and one for writing packets.
package modules

import (
	"sort"

	y3 "github.com/yomorun/y3"
	codec "github.com/yomorun/y3-codec-golang"
)

// Reader has the methods that primitive packets of both modules share.
type Reader interface {
	ToInt32() (int32, error)
	ToUInt32() (uint32, error)
	ToInt64() (int64, error)
	ToUInt64() (uint64, error)
	ToFloat32() (float32, error)
	ToFloat64() (float64, error)
	ToBool() (bool, error)
	ToUTF8String() (string, error)
	ToBytes() []byte
	SeqID() byte
}

// Packet is a packet that a module has read. It is a primitive if it has a Reader, otherwise a node.
type Packet struct {
	Reader  Reader
	Key     byte
	IsSlice bool
	Length  int
	Value   []byte
	// Y3 v1 stores the packets of a node in maps, so they are sorted by key here. Codec stores them in lists.
	Nodes, Primitives []Packet
}

// Alone returns a copy without spare capacity, which the modules would read as content.
func Alone(bytes []byte) []byte {
	alone := make([]byte, len(bytes))
	copy(alone, bytes)
	return alone[:len(alone):len(alone)]
}

// Decode reads the first packet of the input and returns its length in bytes.
func Decode(isCodec bool, input []byte) (Packet, int, error) {
	isNode := len(input) > 0 && input[0]&0x80 != 0
	switch {
	case isCodec && isNode:
		packet, consumed, err := codec.DecodeNodePacket(input)
		if err != nil {
			return Packet{}, 0, err
		}
		return codecNode(packet), consumed, nil
	case isCodec:
		packet, consumed, _, err := codec.DecodePrimitivePacket(input)
		if err != nil {
			return Packet{}, 0, err
		}
		return primitive(packet, false), consumed, nil
	case isNode:
		var packet y3.NodePacket
		consumed, err := y3.DecodeToNodePacket(input, &packet)
		if err != nil {
			return Packet{}, 0, err
		}
		return y3Node(packet), consumed, nil
	}
	var packet y3.PrimitivePacket
	state, err := y3.DecodeToPrimitivePacket(input, &packet)
	if err != nil {
		return Packet{}, 0, err
	}
	return primitive(&packet, packet.IsSlice()), state.ConsumedBytes, nil
}

func primitive(packet Reader, isSlice bool) Packet {
	return Packet{Reader: packet, Key: packet.SeqID(), IsSlice: isSlice, Value: packet.ToBytes()}
}

func y3Node(packet y3.NodePacket) Packet {
	node := Packet{Key: packet.SeqID(), IsSlice: packet.IsSlice(), Length: packet.Length(), Value: packet.GetValBuf()}
	for _, key := range keys(packet.NodePackets) {
		node.Nodes = append(node.Nodes, y3Node(packet.NodePackets[key]))
	}
	for _, key := range keys(packet.PrimitivePackets) {
		child := packet.PrimitivePackets[key]
		node.Primitives = append(node.Primitives, primitive(&child, child.IsSlice()))
	}
	return node
}

func keys[T any](packets map[byte]T) []byte {
	var keys []byte
	for key := range packets {
		keys = append(keys, key)
	}
	sort.Slice(keys, func(i, j int) bool { return keys[i] < keys[j] })
	return keys
}

// codecNode converts a node of codec. The module does not tell if a primitive has the reserved bit.
func codecNode(packet *codec.NodePacket) Packet {
	node := Packet{Key: packet.SeqID(), IsSlice: packet.IsSlice(), Length: int(packet.Length()), Value: packet.GetValBuf()}
	for i := range packet.NodePackets {
		node.Nodes = append(node.Nodes, codecNode(&packet.NodePackets[i]))
	}
	for i := range packet.PrimitivePackets {
		node.Primitives = append(node.Primitives, primitive(&packet.PrimitivePackets[i], false))
	}
	return node
}

// Writer has the methods that primitive encoders of both modules share.
type Writer interface {
	SetInt32Value(int32)
	SetUInt32Value(uint32)
	SetInt64Value(int64)
	SetUInt64Value(uint64)
	SetFloat32Value(float32)
	SetFloat64Value(float64)
	SetBoolValue(bool)
	SetStringValue(string)
	SetBytesValue([]byte)
	Encoder
}

// Encoder is a packet to encode: a Writer or a Node.
type Encoder interface{ Encode() []byte }

// NewPrimitive returns an empty primitive.
func NewPrimitive(isCodec bool, key byte) Writer {
	if isCodec {
		return codec.NewPrimitivePacketEncoder(int(key))
	}
	return y3.NewPrimitivePacketEncoder(key)
}

// Node is a node of either module.
type Node struct {
	y3    *y3.NodePacketEncoder
	codec *codec.NodePacketEncoder
}

// NewNode returns an empty node. Y3 v1 writes no slices.
func NewNode(isCodec, isSlice bool, key byte) Node {
	switch {
	case isCodec && isSlice:
		return Node{codec: codec.NewNodeSlicePacketEncoder(int(key))}
	case isCodec:
		return Node{codec: codec.NewNodePacketEncoder(int(key))}
	case isSlice:
		panic("y3 v1 writes no slices")
	}
	return Node{y3: y3.NewNodePacketEncoder(key)}
}

// Add appends a packet of the same module to the node.
func (n Node) Add(child Encoder) {
	switch child := child.(type) {
	case Node:
		if n.codec != nil {
			n.codec.AddNodePacket(child.codec)
		} else {
			n.y3.AddNodePacket(child.y3)
		}
	case *codec.PrimitivePacketEncoder:
		n.codec.AddPrimitivePacket(child)
	case *y3.PrimitivePacketEncoder:
		n.y3.AddPrimitivePacket(child)
	}
}

// Encode returns the encoded bytes.
func (n Node) Encode() []byte {
	if n.codec != nil {
		return n.codec.Encode()
	}
	return n.y3.Encode()
}
