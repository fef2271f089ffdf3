package main

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	y3 "github.com/yomorun/y3"
	codec "github.com/yomorun/y3-codec-golang"
	codecencoding "github.com/yomorun/y3-codec-golang/pkg/encoding"
	y3encoding "github.com/yomorun/y3/encoding"
)

// scenario has a payload in every encoding and the watched value in it.
type scenario struct {
	Name    string
	Key     byte
	JSONKey string `json:"json_key"`
	JSON    string
	NVarHex string `json:"nvar_hex"`
	PVarHex string `json:"pvar_hex"`
	Want    struct{ T, V string }

	json, nvar, pvar []byte
	// The wanted value if it is a number.
	number int64
}

func (s *scenario) decode() (err error) {
	s.json = []byte(s.JSON)
	if s.nvar, err = hex.DecodeString(s.NVarHex); err != nil {
		return err
	}
	if s.pvar, err = hex.DecodeString(s.PVarHex); err != nil {
		return err
	}
	if s.Want.T != "string" {
		s.number, err = strconv.ParseInt(s.Want.V, 10, 64)
	}
	return err
}

// way reads the watched value of a payload. Its function take returns true if this is the wanted value.
type way struct {
	codec, module string
	take          func(*scenario) bool
}

// The modules' READMEs decode the node that holds the value. encoding/json's documentation decodes a map if the type is not known.
// "packet by packet" is the way of the published report: it reads tags and lengths until it finds the key. The codec's explainer
// subscribes to a key. This way is left out: it is for streams, needs several goroutines, and finds nothing below a root whose
// key is not 0x01.
var ways = []way{
	{"y3", "github.com/yomorun/y3", takeY3},
	{"y3, packet by packet", "github.com/yomorun/y3", stepY3},
	{"y3-codec", "github.com/yomorun/y3-codec-golang", takeCodec},
	{"y3-codec, packet by packet", "github.com/yomorun/y3-codec-golang", stepCodec},
	{"encoding/json", "", takeJSON},
}

func takeY3(s *scenario) bool {
	var node y3.NodePacket
	if _, err := y3.DecodeToNodePacket(s.nvar, &node); err != nil {
		return false
	}
	packet, ok := node.PrimitivePackets[s.Key]
	return ok && s.isY3(&packet)
}

func takeCodec(s *scenario) bool {
	node, _, err := codec.DecodeNodePacket(s.pvar)
	if err != nil {
		return false
	}
	for i := range node.PrimitivePackets {
		if packet := &node.PrimitivePackets[i]; packet.SeqID() == s.Key {
			return s.isCodec(packet)
		}
	}
	return false
}

func takeJSON(s *scenario) bool {
	var object map[string]interface{}
	if err := json.Unmarshal(s.json, &object); err != nil {
		return false
	}
	switch value := object[s.JSONKey].(type) {
	case string:
		return value == s.Want.V
	case float64:
		return value == float64(s.number)
	default:
		return false
	}
}

func stepY3(s *scenario) bool {
	found, err := step(s.nvar, s.Key, func(bytes []byte) (length int32, size int, err error) {
		codec := y3encoding.VarCodec{}
		err = codec.DecodePVarInt32(bytes, &length)
		return length, codec.Size, err
	})
	if err != nil {
		return false
	}
	var packet y3.PrimitivePacket
	_, err = y3.DecodeToPrimitivePacket(found, &packet)
	return err == nil && s.isY3(&packet)
}

func stepCodec(s *scenario) bool {
	found, err := step(s.pvar, s.Key, func(bytes []byte) (length int32, size int, err error) {
		codec := codecencoding.VarCodec{}
		err = codec.DecodePVarInt32(bytes, &length)
		return length, codec.Size, err
	})
	if err != nil {
		return false
	}
	packet, _, _, err := codec.DecodePrimitivePacket(found)
	return err == nil && s.isCodec(packet)
}

// step enters the root and jumps from packet to packet until it finds the key. It returns the payload from this packet on.
func step(payload []byte, key byte, decode func([]byte) (length int32, size int, err error)) ([]byte, error) {
	rest, root := payload, true
	for len(rest) > 1 {
		if rest[0]&0x3f == key && !root {
			return rest, nil
		}
		length, size, err := decode(rest[1:])
		if err != nil {
			return nil, err
		}
		jump := 1 + size + int(length)
		if length < 0 || jump > len(rest) {
			return nil, fmt.Errorf("a packet of %d bytes where there are %d", jump, len(rest))
		}
		if root {
			jump, root = 1+size, false
		}
		rest = rest[jump:]
	}
	return nil, errors.New("no such key")
}

func (s *scenario) isY3(packet *y3.PrimitivePacket) bool {
	switch s.Want.T {
	case "i32":
		value, err := packet.ToInt32()
		return err == nil && int64(value) == s.number
	case "i64":
		value, err := packet.ToInt64()
		return err == nil && value == s.number
	case "string":
		value, err := packet.ToUTF8String()
		return err == nil && value == s.Want.V
	default:
		return false
	}
}

func (s *scenario) isCodec(packet *codec.PrimitivePacket) bool {
	switch s.Want.T {
	case "i32":
		value, err := packet.ToInt32()
		return err == nil && int64(value) == s.number
	case "i64":
		value, err := packet.ToInt64()
		return err == nil && value == s.number
	case "string":
		value, err := packet.ToUTF8String()
		return err == nil && value == s.Want.V
	default:
		return false
	}
}
