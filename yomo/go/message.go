package main

import "github.com/yomorun/y3"

// message is the numbered message that tests/yomo/message.rs describes: 16 bytes to 64 KiB.
func message(number int) []byte {
	index := y3.NewPrimitivePacketEncoder(0x10)
	index.SetUInt32Value(uint32(number))
	body := y3.NewPrimitivePacketEncoder(0x11)
	body.SetBytesValue(bodyOf(uint32(number)))
	root := y3.NewNodePacketEncoder(0x01)
	root.AddPrimitivePacket(index)
	root.AddPrimitivePacket(body)
	return root.Encode()
}

func bodyOf(number uint32) []byte {
	body := make([]byte, 9+65516>>(number%17))
	for i := range body {
		body[i] = byte((uint32(i) ^ number) * 0x9e3779b9 >> 24)
	}
	return body
}

func numberOf(payload []byte) (int, bool) {
	var root y3.NodePacket
	if _, err := y3.DecodeToNodePacket(payload, &root); err != nil {
		return 0, false
	}
	packet, ok := root.PrimitivePackets[0x10]
	if !ok {
		return 0, false
	}
	number, err := packet.ToUInt32()
	return int(number), err == nil
}
