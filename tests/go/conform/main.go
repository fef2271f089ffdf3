// Answers the rows of `y3 conform` as one of the two published Go modules does: `conform y3` or `conform codec`.
// In: questions, a line of JSON each. Out: an answer each; docs/spec/conformance.md has the protocol. Errors of the modules have neither
// kind nor offset, so they are ["Error", 0]; a panic is ["Panic", 0]. What the modules have no call for is skipped.
package main

import (
	"bufio"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"sort"
	"strconv"
	"strings"

	y3 "github.com/yomorun/y3"
	codec "github.com/yomorun/y3-codec-golang"
)

type question struct {
	ID      string          `json:"id"`
	Op      string          `json:"op"`
	Hex     string          `json:"hex"`
	Type    json.RawMessage `json:"type"`
	Dialect string          `json:"dialect"`
	Value   json.RawMessage `json:"value"`
	Packets string          `json:"packets"`
}

var errSkip = errors.New("no such call")

func main() {
	if len(os.Args) != 2 || os.Args[1] != "y3" && os.Args[1] != "codec" {
		fmt.Fprintln(os.Stderr, "usage: conform y3 | codec")
		os.Exit(2)
	}
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<24)
	for in.Scan() {
		var q question
		if err := json.Unmarshal(in.Bytes(), &q); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		out, err := json.Marshal(answer(os.Args[1] == "codec", q))
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		fmt.Println(string(out))
	}
}

func answer(isCodec bool, q question) (given map[string]any) {
	defer func() {
		if recover() != nil {
			given = map[string]any{"id": q.ID, "error": []any{"Panic", 0}}
		}
	}()
	result, err := run(isCodec, q)
	switch {
	case err == errSkip:
		return map[string]any{"id": q.ID, "skip": true}
	case err != nil:
		return map[string]any{"id": q.ID, "error": []any{"Error", 0}}
	}
	return map[string]any{"id": q.ID, "result": result}
}

func run(isCodec bool, q question) (string, error) {
	// No spare memory behind the input: the modules would take that for content.
	data, err := hex.DecodeString(q.Hex)
	if err != nil {
		panic(err)
	}
	data = data[:len(data):len(data)]
	switch q.Op {
	case "read":
		return read(isCodec, data)
	case "decode":
		return decode(isCodec, q, data)
	case "encode":
		return encode(isCodec, q)
	case "write":
		out, _, err := write(isCodec, q.Packets)
		return hex.EncodeToString(out), err
	}
	return "", errSkip
}

// Packets

// read gives the shape of all packets: of a node's children first the nodes, then the primitives, as the modules keep them.
func read(isCodec bool, data []byte) (string, error) {
	var shapes []string
	for len(data) > 0 {
		shape, consumed, err := first(isCodec, data)
		if err != nil {
			return "", err
		}
		shapes = append(shapes, shape)
		data = data[consumed:]
	}
	return strings.Join(shapes, ","), nil
}

func first(isCodec bool, data []byte) (string, int, error) {
	isNode := data[0]&0x80 != 0
	switch {
	case isCodec && isNode && isHuge(data):
		return "", 0, errSkip
	case isCodec && isNode:
		packet, consumed, err := codec.DecodeNodePacket(data)
		if err != nil {
			return "", 0, err
		}
		return codecNode(packet), consumed, nil
	case isCodec:
		packet, consumed, _, err := codec.DecodePrimitivePacket(data)
		if err != nil {
			return "", 0, err
		}
		return primitive(packet, false), consumed, nil
	case isNode:
		var packet y3.NodePacket
		consumed, err := y3.DecodeToNodePacket(data, &packet)
		if err != nil {
			return "", 0, err
		}
		return y3Node(packet), consumed, nil
	}
	var packet y3.PrimitivePacket
	state, err := y3.DecodeToPrimitivePacket(data, &packet)
	if err != nil {
		return "", 0, err
	}
	return primitive(&packet, packet.IsSlice()), state.ConsumedBytes, nil
}

// isHuge says that a node declares more than 2^20 bytes: codec would allocate them first.
func isHuge(data []byte) bool {
	length := 0
	for i := 1; i < len(data) && i < 8; i++ {
		length = length<<7 | int(data[i]&0x7f)
		if data[i]&0x80 == 0 {
			break
		}
	}
	return length > 1<<20
}

type reader interface {
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

// primitive marks one that the module takes for a slice.
func primitive(packet reader, isSlice bool) string {
	mark := ""
	if isSlice {
		mark = "slice "
	}
	return fmt.Sprintf("%s%02x=%x", mark, packet.SeqID(), packet.ToBytes())
}

func node(key byte, isSlice bool, inside []string) string {
	if isSlice {
		return fmt.Sprintf("%02x[%s]", key, strings.Join(inside, ","))
	}
	return fmt.Sprintf("%02x{%s}", key, strings.Join(inside, ","))
}

func y3Node(packet y3.NodePacket) string {
	var inside []string
	for _, key := range keys(packet.NodePackets) {
		inside = append(inside, y3Node(packet.NodePackets[key]))
	}
	for _, key := range keys(packet.PrimitivePackets) {
		child := packet.PrimitivePackets[key]
		inside = append(inside, primitive(&child, child.IsSlice()))
	}
	return node(packet.SeqID(), packet.IsSlice(), inside)
}

func keys[T any](packets map[byte]T) []byte {
	var keys []byte
	for key := range packets {
		keys = append(keys, key)
	}
	sort.Slice(keys, func(i, j int) bool { return keys[i] < keys[j] })
	return keys
}

func codecNode(packet *codec.NodePacket) string {
	var inside []string
	for i := range packet.NodePackets {
		inside = append(inside, codecNode(&packet.NodePackets[i]))
	}
	for i := range packet.PrimitivePackets {
		inside = append(inside, primitive(&packet.PrimitivePackets[i], false))
	}
	return node(packet.SeqID(), packet.IsSlice(), inside)
}

// Values

func typeOf(isCodec bool, q question) (string, error) {
	var kind string
	if json.Unmarshal(q.Type, &kind) != nil || kind == "utf16" {
		return "", errSkip
	}
	if q.Dialect == "nvar" && isCodec || q.Dialect == "pvar" && !isCodec {
		return "", errSkip
	}
	return kind, nil
}

func decode(isCodec bool, q question, value []byte) (string, error) {
	kind, err := typeOf(isCodec, q)
	if err != nil {
		return "", err
	}
	if len(value) > 63 {
		return "", errSkip
	}
	data := append([]byte{0x05, byte(len(value))}, value...)
	var packet reader
	if isCodec {
		packet, _, _, err = codec.DecodePrimitivePacket(data[:len(data):len(data)])
	} else {
		var primitive y3.PrimitivePacket
		_, err = y3.DecodeToPrimitivePacket(data[:len(data):len(data)], &primitive)
		packet = &primitive
	}
	if err != nil {
		return "", err
	}
	switch kind {
	case "i32":
		return shown(packet.ToInt32())
	case "u32":
		return shown(packet.ToUInt32())
	case "i64":
		return shown(packet.ToInt64())
	case "u64":
		return shown(packet.ToUInt64())
	case "bool":
		return shown(packet.ToBool())
	case "f32":
		v, err := packet.ToFloat32()
		return fmt.Sprintf("0x%08x", math.Float32bits(v)), err
	case "f64":
		v, err := packet.ToFloat64()
		return fmt.Sprintf("0x%016x", math.Float64bits(v)), err
	case "text":
		return packet.ToUTF8String()
	}
	return hex.EncodeToString(packet.ToBytes()), nil
}

func shown[T any](value T, err error) (string, error) {
	return fmt.Sprint(value), err
}

type setter interface {
	SetInt32Value(int32)
	SetUInt32Value(uint32)
	SetInt64Value(int64)
	SetUInt64Value(uint64)
	SetFloat32Value(float32)
	SetFloat64Value(float64)
	SetBoolValue(bool)
	SetStringValue(string)
	SetBytesValue([]byte)
	Encode() []byte
}

func newPrimitive(isCodec bool, key byte) setter {
	if isCodec {
		return codec.NewPrimitivePacketEncoder(int(key))
	}
	return y3.NewPrimitivePacketEncoder(key)
}

func encode(isCodec bool, q question) (string, error) {
	kind, err := typeOf(isCodec, q)
	if err != nil {
		return "", err
	}
	var text string
	if err := json.Unmarshal(q.Value, &text); err != nil {
		panic(err)
	}
	packet := newPrimitive(isCodec, 0x05)
	switch kind {
	case "i32", "i64":
		width, _ := strconv.Atoi(kind[1:])
		v, err := strconv.ParseInt(text, 10, width)
		if err != nil {
			return "", err
		}
		if packet.SetInt64Value(v); width == 32 {
			packet = newPrimitive(isCodec, 0x05)
			packet.SetInt32Value(int32(v))
		}
	case "u32", "u64":
		width, _ := strconv.Atoi(kind[1:])
		v, err := strconv.ParseUint(text, 10, width)
		if err != nil {
			return "", err
		}
		if packet.SetUInt64Value(v); width == 32 {
			packet = newPrimitive(isCodec, 0x05)
			packet.SetUInt32Value(uint32(v))
		}
	case "f32":
		bits, _ := strconv.ParseUint(text[2:], 16, 32)
		packet.SetFloat32Value(math.Float32frombits(uint32(bits)))
	case "f64":
		bits, _ := strconv.ParseUint(text[2:], 16, 64)
		packet.SetFloat64Value(math.Float64frombits(bits))
	case "bool":
		packet.SetBoolValue(text == "true")
	case "text":
		packet.SetStringValue(text)
	default:
		value, err := hex.DecodeString(text)
		if err != nil {
			panic(err)
		}
		packet.SetBytesValue(value)
	}
	// The value of a short packet begins at its third byte.
	return hex.EncodeToString(packet.Encode()[2:]), nil
}

// write gives the bytes of a shape, and what follows the bracket that closes it.
func write(isCodec bool, shape string) ([]byte, string, error) {
	var out []byte
	for shape != "" && !strings.ContainsAny(shape[:1], "}]") {
		packet, rest, err := writeOne(isCodec, shape)
		if err != nil {
			return nil, "", err
		}
		out = append(out, packet.encode()...)
		shape = strings.TrimPrefix(rest, ",")
	}
	return out, shape, nil
}

// written is one packet, to be encoded once.
type written struct {
	primitive setter
	y3        *y3.NodePacketEncoder
	codec     *codec.NodePacketEncoder
}

func (w written) encode() []byte {
	switch {
	case w.primitive != nil:
		return w.primitive.Encode()
	case w.y3 != nil:
		return w.y3.Encode()
	}
	return w.codec.Encode()
}

func writeOne(isCodec bool, shape string) (written, string, error) {
	number, err := strconv.ParseUint(shape[:2], 16, 8)
	if err != nil {
		panic(err)
	}
	key, opens, rest := byte(number), shape[2], shape[3:]
	if opens == '=' {
		end := strings.IndexAny(rest, ",}]")
		if end < 0 {
			end = len(rest)
		}
		value, err := hex.DecodeString(rest[:end])
		if err != nil {
			panic(err)
		}
		packet := newPrimitive(isCodec, key)
		packet.SetBytesValue(value)
		return written{primitive: packet}, rest[end:], nil
	}
	if opens == '[' && !isCodec {
		return written{}, "", errSkip
	}
	var to written
	switch {
	case !isCodec:
		to.y3 = y3.NewNodePacketEncoder(key)
	case opens == '[':
		to.codec = codec.NewNodeSlicePacketEncoder(int(key))
	default:
		to.codec = codec.NewNodePacketEncoder(int(key))
	}
	for rest[0] != '}' && rest[0] != ']' {
		child, after, err := writeOne(isCodec, rest)
		if err != nil {
			return written{}, "", err
		}
		switch {
		case isCodec && child.primitive != nil:
			to.codec.AddPrimitivePacket(child.primitive.(*codec.PrimitivePacketEncoder))
		case isCodec:
			to.codec.AddNodePacket(child.codec)
		case child.primitive != nil:
			to.y3.AddPrimitivePacket(child.primitive.(*y3.PrimitivePacketEncoder))
		default:
			to.y3.AddNodePacket(child.y3)
		}
		rest = strings.TrimPrefix(after, ",")
	}
	return to, rest[1:], nil
}
