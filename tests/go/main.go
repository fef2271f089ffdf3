// Runs the two published Go modules for tests/go/main.rs and reports what they did. Batches of requests come from
// standard input; an answer for each request goes to standard output. README.md describes the protocol.
package main

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"time"

	y3 "github.com/yomorun/y3"
	"y3peer/modules"
)

// The outcome of a call.
const (
	ok byte = iota
	failed
	panicked
	hung
)

// A call that takes longer counts as a hang. Calls that end take less than a thousandth of this time.
const patience = 10 * time.Second

func main() {
	in, out := bufio.NewReader(os.Stdin), bufio.NewWriter(os.Stdout)
	for {
		batch, err := readBatch(in)
		if err == io.EOF {
			return
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, "reading a batch:", err)
			os.Exit(1)
		}
		// The whole batch is read before the first answer is written, so the two sides never wait for each other.
		var answers []byte
		for rest := (request{batch}); len(rest.bytes) > 0; {
			answers = appendBytes(answers, answer(request{rest.block()}))
		}
		if _, err := out.Write(appendBytes(nil, answers)); err == nil {
			err = out.Flush()
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, "writing answers:", err)
			os.Exit(1)
		}
	}
}

func readBatch(in io.Reader) ([]byte, error) {
	var size [4]byte
	if _, err := io.ReadFull(in, size[:]); err != nil {
		return nil, err
	}
	batch := make([]byte, binary.BigEndian.Uint32(size[:]))
	_, err := io.ReadFull(in, batch)
	return batch, err
}

// answer runs one request. A panic and a hang are outcomes, after which the program continues.
func answer(what request) []byte {
	done := make(chan []byte, 1)
	go func() {
		defer func() {
			if recover() != nil {
				done <- []byte{panicked}
			}
		}()
		done <- run(what)
	}()
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case report := <-done:
		return report
	case <-timer.C:
		return []byte{hung}
	}
}

func run(what request) []byte {
	switch call := what.byte(); call {
	case 'd':
		return decode(what.byte() == 'c', modules.Alone(what.bytes))
	case 'r':
		return readPackets(int(what.uint32()), modules.Alone(what.bytes))
	case 's':
		return streamReadPacket(int(what.uint32()), modules.Alone(what.bytes))
	case 'e':
		return encode(what.byte() == 'c', what)
	default:
		panic(fmt.Sprintf("no call %q", call))
	}
}

// Requests

type request struct{ bytes []byte }

func (r *request) take(size int) []byte {
	taken := r.bytes[:size]
	r.bytes = r.bytes[size:]
	return taken
}

func (r *request) byte() byte     { return r.take(1)[0] }
func (r *request) uint32() uint32 { return binary.BigEndian.Uint32(r.take(4)) }
func (r *request) uint64() uint64 { return binary.BigEndian.Uint64(r.take(8)) }
func (r *request) block() []byte  { return r.take(int(r.uint32())) }

// Reports

func appendUint32(out []byte, number int) []byte {
	return append(out, byte(number>>24), byte(number>>16), byte(number>>8), byte(number))
}

func appendUint64(out []byte, number uint64) []byte {
	return appendUint32(appendUint32(out, int(number>>32)), int(uint32(number)))
}

func appendBytes(out, bytes []byte) []byte {
	return append(appendUint32(out, len(bytes)), bytes...)
}

func appendBool(out []byte, value bool) []byte {
	if value {
		return append(out, 1)
	}
	return append(out, 0)
}

// appendPrimitive reports the value's bytes, then the value read as each type.
func appendPrimitive(out []byte, of modules.Packet) []byte {
	out = appendBool(append(out, of.Key), of.IsSlice)
	out = appendBytes(out, of.Value)
	packet := of.Reader
	typed := func(bits uint64, err error) {
		out = appendBool(out, err == nil)
		if err != nil {
			bits = 0
		}
		out = appendUint64(out, bits)
	}
	i32, err := packet.ToInt32()
	typed(uint64(i32), err)
	u32, err := packet.ToUInt32()
	typed(uint64(u32), err)
	i64, err := packet.ToInt64()
	typed(uint64(i64), err)
	u64, err := packet.ToUInt64()
	typed(u64, err)
	f32, err := packet.ToFloat32()
	typed(uint64(math.Float32bits(f32)), err)
	f64, err := packet.ToFloat64()
	typed(math.Float64bits(f64), err)
	is, err := packet.ToBool()
	typed(uint64(appendBool(nil, is)[0]), err)
	text, err := packet.ToUTF8String()
	if text != string(of.Value) {
		err = errors.New("text and bytes differ")
	}
	typed(uint64(len(text)), err)
	return out
}

// Decoding: the first packet of the input

func decode(isCodec bool, input []byte) []byte {
	packet, consumed, err := modules.Decode(isCodec, input)
	if err != nil {
		return []byte{failed}
	}
	return appendPacket(appendUint32([]byte{ok}, consumed), packet)
}

func appendPacket(out []byte, packet modules.Packet) []byte {
	if packet.Reader != nil {
		return appendPrimitive(out, packet)
	}
	out = appendBool(append(out, packet.Key), packet.IsSlice)
	out = appendUint32(appendUint32(out, packet.Length), len(packet.Value))
	for _, children := range [][]modules.Packet{packet.Nodes, packet.Primitives} {
		out = appendUint32(out, len(children))
		for _, child := range children {
			out = appendPacket(out, child)
		}
	}
	return out
}

// Streams

// pieces returns at most size bytes per call, or all of them if size is 0.
type pieces struct {
	src  *bytes.Reader
	size int
}

func (p pieces) Read(buf []byte) (int, error) {
	if p.size > 0 && len(buf) > p.size {
		buf = buf[:p.size]
	}
	return p.src.Read(buf)
}

// readPackets calls y3's ReadPacket until it returns no packet.
func readPackets(size int, input []byte) []byte {
	src := pieces{bytes.NewReader(input), size}
	var packets []byte
	for count := 0; ; count++ {
		packet, err := y3.ReadPacket(src)
		if err != nil {
			out := appendBool([]byte{ok}, err == io.EOF)
			return append(appendUint32(out, count), packets...)
		}
		packets = appendBytes(packets, packet)
	}
}

// streamReadPacket calls y3's StreamReadPacket once and reads the value with a buffer larger than any input of the test.
func streamReadPacket(size int, input []byte) []byte {
	packet, err := y3.StreamReadPacket(pieces{bytes.NewReader(input), size})
	if err != nil {
		return []byte{failed}
	}
	var value []byte
	for buf := make([]byte, 1<<16); ; {
		n, err := packet.Val.Read(buf)
		value = append(value, buf[:n]...)
		if err == io.EOF {
			break
		}
		if err != nil {
			return []byte{failed}
		}
	}
	return appendBytes(appendUint32([]byte{ok, packet.Tag}, packet.Len), value)
}

// Encoding

func set(to modules.Writer, kind byte, what *request) {
	switch kind {
	case 'i':
		to.SetInt32Value(int32(what.uint64()))
	case 'u':
		to.SetUInt32Value(uint32(what.uint64()))
	case 'I':
		to.SetInt64Value(int64(what.uint64()))
	case 'U':
		to.SetUInt64Value(what.uint64())
	case 'f':
		to.SetFloat32Value(math.Float32frombits(uint32(what.uint64())))
	case 'F':
		to.SetFloat64Value(math.Float64frombits(what.uint64()))
	case 'b':
		to.SetBoolValue(what.uint64() == 1)
	case 't':
		to.SetStringValue(string(what.block()))
	case 'x':
		to.SetBytesValue(what.block())
	default:
		panic(fmt.Sprintf("no type %q", kind))
	}
}

// encode writes the trees of the request with the module's own encoder.
func encode(isCodec bool, what request) []byte {
	out := []byte{ok}
	for len(what.bytes) > 0 {
		out = append(out, packet(isCodec, &what).Encode()...)
	}
	return out
}

func packet(isCodec bool, what *request) modules.Encoder {
	kind, key := what.byte(), what.byte()
	if kind != 'N' && kind != 'S' {
		primitive := modules.NewPrimitive(isCodec, key)
		set(primitive, kind, what)
		return primitive
	}
	node := modules.NewNode(isCodec, kind == 'S', key)
	for count := what.uint32(); count > 0; count-- {
		node.Add(packet(isCodec, what))
	}
	return node
}
