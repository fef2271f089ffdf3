package main

import "github.com/yomorun/y3"

// message is the numbered message that tests/yomo/message.rs describes: 16 bytes to 64 KiB.
func message(number int) []byte {
	index := y3.NewPrimitivePacketEncoder(0x10)
	index.SetUInt32Value(uint32(number))
	body := y3.NewPrimitivePacketEncoder(0x11)
	body.SetBytesValue(bodyOf(number))
	root := y3.NewNodePacketEncoder(0x01)
	root.AddPrimitivePacket(index)
	root.AddPrimitivePacket(body)
	return root.Encode()
}

func bodyOf(number int) []byte {
	const least, most = 9, 65525
	random := uint64(number)*0x9e3779b97f4a7c15 + 1
	size := most
	switch number {
	case 0:
		size = least
	case 1:
	default:
		shift := 4 + next(&random)%13
		size = min(least+int(next(&random)&(1<<shift-1)), most)
	}
	body := make([]byte, size)
	for i := range body {
		body[i] = byte(next(&random) >> 32)
	}
	return body
}

func next(random *uint64) uint64 {
	*random ^= *random << 13
	*random ^= *random >> 7
	*random ^= *random << 17
	return *random
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
