// Answers the rows of `y3 conform` as one of the two published Go modules does: `conform y3` or `conform codec`.
// Each line of the input is a question in JSON and gets an answer; docs/spec/conformance.md describes the protocol. Errors
// of the modules have neither kind nor offset, so they are ["Error", 0]; a panic is ["Panic", 0]. Questions for which the
// modules have no call are skipped.
package main

import (
	"bufio"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"

	"y3peer/modules"
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
	data, err := hex.DecodeString(q.Hex)
	if err != nil {
		panic(err)
	}
	data = modules.Alone(data)
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

// read returns the shapes of all packets. In a node, child nodes come before primitives, as the modules store them.
func read(isCodec bool, data []byte) (string, error) {
	var shapes []string
	for len(data) > 0 {
		if isCodec && data[0]&0x80 != 0 && isHuge(data) {
			return "", errSkip
		}
		packet, consumed, err := modules.Decode(isCodec, data)
		if err != nil {
			return "", err
		}
		shapes = append(shapes, shape(packet))
		data = data[consumed:]
	}
	return strings.Join(shapes, ","), nil
}

// isHuge is true if a node declares more than 2^20 bytes, which codec would allocate before it reads them.
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

// shape returns the text of a packet and marks a primitive that the module mistakes for a slice.
func shape(packet modules.Packet) string {
	if packet.Reader != nil {
		mark := ""
		if packet.IsSlice {
			mark = "slice "
		}
		return fmt.Sprintf("%s%02x=%x", mark, packet.Key, packet.Value)
	}
	var inside []string
	for _, child := range append(packet.Nodes, packet.Primitives...) {
		inside = append(inside, shape(child))
	}
	brackets := "{}"
	if packet.IsSlice {
		brackets = "[]"
	}
	return fmt.Sprintf("%02x%c%s%c", packet.Key, brackets[0], strings.Join(inside, ","), brackets[1])
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
	read, _, err := modules.Decode(isCodec, modules.Alone(append([]byte{0x05, byte(len(value))}, value...)))
	if err != nil {
		return "", err
	}
	packet := read.Reader
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

func encode(isCodec bool, q question) (string, error) {
	kind, err := typeOf(isCodec, q)
	if err != nil {
		return "", err
	}
	var text string
	if err := json.Unmarshal(q.Value, &text); err != nil {
		panic(err)
	}
	packet := modules.NewPrimitive(isCodec, 0x05)
	switch kind {
	case "i32", "i64":
		width, _ := strconv.Atoi(kind[1:])
		v, err := strconv.ParseInt(text, 10, width)
		if err != nil {
			return "", err
		}
		if packet.SetInt64Value(v); width == 32 {
			packet = modules.NewPrimitive(isCodec, 0x05)
			packet.SetInt32Value(int32(v))
		}
	case "u32", "u64":
		width, _ := strconv.Atoi(kind[1:])
		v, err := strconv.ParseUint(text, 10, width)
		if err != nil {
			return "", err
		}
		if packet.SetUInt64Value(v); width == 32 {
			packet = modules.NewPrimitive(isCodec, 0x05)
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

// write returns the bytes of a shape, and the text after its closing bracket.
func write(isCodec bool, shape string) ([]byte, string, error) {
	var out []byte
	for shape != "" && !strings.ContainsAny(shape[:1], "}]") {
		packet, rest, err := writeOne(isCodec, shape)
		if err != nil {
			return nil, "", err
		}
		out = append(out, packet.Encode()...)
		shape = strings.TrimPrefix(rest, ",")
	}
	return out, shape, nil
}

// writeOne returns the encoder of one packet, which may be used once, and the text after the packet.
func writeOne(isCodec bool, shape string) (modules.Encoder, string, error) {
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
		packet := modules.NewPrimitive(isCodec, key)
		packet.SetBytesValue(value)
		return packet, rest[end:], nil
	}
	if opens == '[' && !isCodec {
		return nil, "", errSkip
	}
	node := modules.NewNode(isCodec, opens == '[', key)
	for rest[0] != '}' && rest[0] != ']' {
		child, after, err := writeOne(isCodec, rest)
		if err != nil {
			return nil, "", err
		}
		node.Add(child)
		rest = strings.TrimPrefix(after, ",")
	}
	return node, rest[1:], nil
}
