"""Puts misreadings of SPEC.md into full.py, one at a time. For each, a row of `y3 conform` must fail, without random cases.

    python3 tests/conformance/misread.py target/debug/y3

The argument is the command. The program prints the misreadings that no row notices; the exit code is 0 if all of them have a reason.
"""

import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))

# The misreading, a text of full.py, and the text that replaces it.
MISREADINGS = [
    ("TAG-2: a flagged primitive is a slice", "        if not tag & 0x80:\n            drawn", "        if not tag & 0xC0:\n            drawn"),
    ("TAG-2: bit 6 of a primitive belongs to its key", "follow(self.paths, states, tag & 0x3F)", "follow(self.paths, states, tag & (0x3F if is_node else 0x7F))"),
    ("TAG-2: a flagged primitive is entered as a node", "inside and is_node:", "inside and (is_node or tag & 0x40):"),
    ("TAG-2: a flagged primitive is a node to paths", "entered(self.paths, through, is_node)", "entered(self.paths, through, tag & 0xC0)"),
    ("TAG-4: a key is its low six bits", "        if key > 63:\n            raise Fault(\"InvalidKey\", len(out))\n", "        key &= 63\n"),
    ("LEN-1: one byte reaches 127", "while n >= 1 << (7 * size - 1):", "while n >= 1 << (7 * size):"),
    ("LEN-2: at most four bytes if they are needless", "        if i == at + 4 and (b", "        if i == at + 4 and data[at] == 0x80 and n == 0 or i == at + 4 and (b"),
    ("LEN-3: the sign counts in fields of one byte only", "if i == at and b & 0x40:", "if i == at and b & 0xC0 == 0x40:"),
    ("LEN-4: the fifth byte is a fault only if a sixth is there", "if i == at + 4 and (b & 0x80 or", "if i == at + 4 and (b & 0x80 and i + 1 < end or"),
    ("LEN-5: five bytes may hold any number", "b & 0x80 or data[at] > 0x87", "b & 0x80"),
    ("LEN-6: 2^31 is the highest length", "if n > 0x7FFFFFFF:", "if n > 0x80000000:"),
    ("LEN-7: the length counts the header", "stop = value + length\n    if parent", "stop = at + length\n    if parent"),
    ("PKT-1: at the end of both, the input ended", "if parent is not None and parent <= end:", "if parent is not None and parent < end:"),
    ("PKT-1: a value past its parent is UnexpectedEnd if the input ends first", "    if parent is not None and stop > parent:\n        raise Fault(\"Overrun\", at)\n    if stop > end:\n        raise Fault(\"UnexpectedEnd\", top)", "    if stop > end:\n        raise Fault(\"UnexpectedEnd\", top)\n    if parent is not None and stop > parent:\n        raise Fault(\"Overrun\", at)"),
    ("PKT-2: UnexpectedEnd is at the packet that is cut", "self.events.append([\"UnexpectedEnd\", self.top])\n                return\n            except Fault", "self.events.append([\"UnexpectedEnd\", self.at])\n                return\n            except Fault"),
    ("PKT-4: bytes after the packet are ignored", "if stop < len(data):\n            raise Fault(\"TrailingBytes\", stop)", "if False:\n            pass"),
    ("PKT-5: one packet is looked into first", "        if stop < len(data):", "        shape(data, 0, stop)\n        if stop < len(data):"),
    ("NODE-3: a look-up gives the last packet", "for tag, offset, value, end in packets(data, value, len(data), stop, 0):", "for tag, offset, value, end in reversed(list(packets(data, value, len(data), stop, 0))):"),
    ("NODE-3: a look-up skips nodes", "if tag & 0x3F == row[\"key\"]:\n            return", "if tag & 0xBF == row[\"key\"]:\n            return"),
    ("NODE-6: embedded packets are cut by a parent", "return shape(data, value, stop)\n    if not", "return shape(data, value, len(data), stop, 0)\n    if not"),
    ("NODE-6: embedded packets begin at offset 0", "return shape(data, value, stop)\n    if not", "return shape(data[value:stop], 0, stop - value)\n    if not"),
    ("SLICE-3: items keep their keys", "        if is_item:\n            key = 0\n", ""),
    ("DEC-6: the 64th node is one too many", "        if depth == 64:\n            raise Fault(\"DepthLimit\", offset)\n        inside = shape", "        if depth == 63:\n            raise Fault(\"DepthLimit\", offset)\n        inside = shape"),
    ("DEC-6: a search has no limit", "limit=min(limits.get(\"depth\", 64), 64)", "limit=limits.get(\"depth\", 64 if row[\"op\"] == \"check\" else 10**6)"),
    ("DEC-6: children count from their node", "return shape(data, value, len(data), stop, 0)", "return shape(data, value, len(data), stop, 0, 1)"),
    ("DEC-6: embedded packets count from their primitive", "return shape(data, value, stop)\n    if not", "return shape(data, value, stop, depth=1)\n    if not"),
    ("DEC-6: primitives count", "if tag & 0x80 and depth >= limit:", "if depth >= limit:"),
    ("DEC-9: the packet limit leaves the header out", "stop - start > self.limits", "length > self.limits"),
    ("DEC-9: the value limit counts the header", "number is not None and length > self.limits.get(\"value\", length)", "number is not None and stop - start > self.limits.get(\"value\", stop)"),
    ("DEC-9: the value limit holds for packets on the way", "if number is not None and length >", "if (number is not None or through) and length >"),
    ("DEC-9: a search has no limit of size", "> limits.get(\"packet\", 1 << 40):", "> limits.get(\"packet\", 1 << 40) and row[\"op\"] == \"check\":"),
    ("DEC-9: the packet limit holds for packets in nodes too, in a watch", "            if end is not None and stop > end:\n                raise missing\n            if kind == \"input\" and", "            if kind == \"node\" and stop - start > self.limits.get(\"packet\", stop):\n                raise Fault(\"SizeLimit\", start)\n            if end is not None and stop > end:\n                raise missing\n            if kind == \"input\" and"),
    ("DEC-9: the packet limit holds for embedded packets too", "            if end is not None and stop > end:\n                raise missing\n            if kind == \"input\" and", "            if kind == \"embedded\" and stop - start > self.limits.get(\"packet\", stop):\n                raise Fault(\"SizeLimit\", start)\n            if end is not None and stop > end:\n                raise missing\n            if kind == \"input\" and"),
    ("DEC-9: the packet limit holds for packets in nodes too, in a check", "    if parent is not None and stop > parent:\n        raise Fault(\"Overrun\", at)", "    if parent is not None and stop - at > row.get(\"limits\", {}).get(\"packet\", stop):\n        raise Fault(\"SizeLimit\", at)\n    if parent is not None and stop > parent:\n        raise Fault(\"Overrun\", at)"),
    ("DEC-9: a size is checked once the packet is whole", "                raise Fault(\"SizeLimit\", at)\n            _, _, top_stop = read_packet(data, at, len(data), None, at)\n", "                read_packet(data, at, len(data), None, at)\n                raise Fault(\"SizeLimit\", at)\n            _, _, top_stop = read_packet(data, at, len(data), None, at)\n"),
    ("DEC-11: NotANode comes before InvalidKey", "    if op == \"find\" and row[\"key\"] > 63:\n        raise Fault(\"InvalidKey\", 0)\n    tag, value, stop = read_packet(data, 0, len(data), None, 0)\n", "    tag, value, stop = read_packet(data, 0, len(data), None, 0)\n    if op == \"find\" and row[\"key\"] > 63 and tag & 0x80:\n        raise Fault(\"InvalidKey\", 0)\n"),
    ("INT-2: an unsigned number is never negative on the wire", "        if n >= 1 << (width - 1):\n            n -= 1 << width\n", ""),
    ("NVAR-3: more bytes are fine if the number fits", "if not value or len(value) > width // 8:\n        raise wrong()\n    return int", "if not value or not -(1 << (width - 1)) <= int.from_bytes(value, \"big\", signed=True) < 1 << (width - 1):\n        raise wrong()\n    return int"),
    ("PVAR-2: 64 bits have nine bytes", "(5 if width == 32 else 10):\n        raise wrong()\n    if value[-1]", "(5 if width == 32 else 9):\n        raise wrong()\n    if value[-1]"),
    ("PVAR-4: unsigned numbers have another range", "if not -(1 << (width - 1)) <= n < 1 << (width - 1):\n        raise wrong()\n    return n", "if not -(1 << (width - 1)) <= n < 1 << width:\n        raise wrong()\n    return n & ((1 << width) - 1) if n >= 1 << (width - 1) else n"),
    ("PVAR-5: bytes after the last group are ignored", "if value[-1] & 0x80 or not all(b & 0x80 for b in value[:-1]):\n        raise wrong()", "if all(b & 0x80 for b in value):\n        raise wrong()\n    value = value[:next(i for i, b in enumerate(value) if not b & 0x80) + 1]"),
    ("FLT-1: zero has no bytes", "rstrip(b\"\\0\") or b\"\\0\"", "rstrip(b\"\\0\")"),
    ("FLT-2: missing bytes are at the front", "value.ljust(size, b\"\\0\")", "value.rjust(size, b\"\\0\")"),
    ("BOOL-2: an empty value is a fault", "decode_pvar(value, 32) if value else 0", "decode_pvar(value, 32)"),
    ("BOOL-3: two bytes are a bool of the other dialect", "n = decode_pvar(value, 32) if value else 0", "n = decode_nvar(value, 32) if len(value) == 2 and not value[0] else decode_pvar(value, 32) if value else 0"),
    ("BOOL-3: every number but 0 is true", "        if n not in (0, 1):\n            raise wrong()\n", ""),
    ("TXT-2: halves of surrogate pairs are text", "high = 0x9F if first == 0xED else 0xBF", "high = 0xBF"),
    ("TXT-2: overlong sequences of three bytes are text", "low = 0xA0 if first == 0xE0 else 0x80", "low = 0x80"),
    ("TXT-2: overlong sequences of four bytes are text", "low = 0x90 if first == 0xF0 else 0x80", "low = 0x80"),
    ("TXT-2: lead bytes reach f7", "elif 0xF0 <= first <= 0xF4:", "elif 0xF0 <= first <= 0xF7:"),
    ("TXT-2: the offset is that of the byte that is wrong", "value[at + i] <= high:\n                return at", "value[at + i] <= high:\n                return at + i"),
    ("TXT-2: a sequence cut short is found at its end", "if at + i >= len(value) or", "if at + i >= len(value):\n                return len(value)\n            if"),
    ("TXT-4: a byte order mark is removed", "return value.decode(\"utf-8\", \"replace\")", "return value.decode(\"utf-8-sig\", \"replace\")"),
    ("PATH-2: a path given twice has the last number", "min(ends, default=None)", "max(ends, default=None)"),
    ("PATH-5: after `:` nodes are entered too", "== (\"/\" if is_node else \":\")]", "in ((\"/\", \":\") if is_node else \":\")]"),
    ("PATH-6: `*` is any key but 0", "if paths[i][at][0] in (None, key)]", "if paths[i][at][0] == key or paths[i][at][0] is None and key]"),
    ("PATH-6: `*` stands for nodes alone", "number, through = follow(self.paths, states, tag & 0x3F)", "number, through = follow(self.paths, states, tag & 0x3F)\n            if number is not None and self.paths[number][-1][0] is None and not is_node:\n                number = None"),
    ("SKIP-1: packets jumped over are checked", "            yield from self.close(before)\n            yield from self.skip(stop)\n\n    def run", "            yield from self.close(before)\n            yield from self.skip(stop)\n            if is_node and not inside:\n                list(walk(self.data, value, stop, stop, start))\n\n    def run"),
    ("SKIP-5: a node that is cut is not entered", "            inside = entered(self.paths, through, is_node)\n            if inside", "            inside = entered(self.paths, through, is_node)\n            while inside and is_node and len(self.data) < stop:\n                if self.ended:\n                    raise End()\n                yield\n            if inside"),
    ("SKIP-7: a packet that is cut is a hit", "            return [event for event in self.events if event[-1] is not None]", "            for value, _, event in self.open:\n                event[2] = bytes(self.data[value:]).hex()\n            return [event for event in self.events if event[-1] is not None]"),
    ("SKIP-7: inner hits come before outer ones", "            self.open.pop()\n", "            self.open.pop()\n            self.events.remove(event)\n            self.events.append(event)\n"),
    ("SKIP-9: a node that the end of embedded packets cuts is entered", "            if end is not None and stop > end:\n                raise missing\n", "            if end is not None and stop > end and not (kind == \"embedded\" and tag & 0x80):\n                raise missing\n"),
    ("SKIP-9: in embedded packets a node's end is UnexpectedEnd too", "missing = Fault(\"Overrun\" if kind == \"node\" else \"UnexpectedEnd\", start)", "missing = Fault(\"Overrun\" if kind == \"node\" and not any(c == \":\" for path in self.paths for _, c in path) else \"UnexpectedEnd\", start)"),
    ("SKIP-10: a fault in embedded packets ends the watch", "                    self.events.append(list(fault.args))\n                    yield from self.close(around)", "                    if not self.goes_on:\n                        raise\n                    self.events.append(list(fault.args))\n                    yield from self.close(around)"),
    ("SKIP-10: after a fault in embedded packets the top-level packet is skipped", "                    self.events.append(list(fault.args))\n                    yield from self.close(around)", "                    if self.goes_on:\n                        raise\n                    self.events.append(list(fault.args))\n                    yield from self.close(around)"),
    ("SKIP-10: hits around a fault in embedded packets are lost", "                    self.events.append(list(fault.args))\n                    yield from self.close(around)", "                    self.events.append(list(fault.args))\n                    self.open = []"),
    ("SKIP-10: hits inside the embedded packets are lost", "                    self.events.append(list(fault.args))\n                    yield from self.close(around)", "                    self.events.append(list(fault.args))\n                    del self.open[around:]"),
    ("SKIP-10: a fault ends the outermost of embedded packets", "            elif inside:\n                around = len(self.open)", "            elif inside and kind == \"embedded\":\n                yield from self.level(inside, stop, \"embedded\")\n            elif inside:\n                around = len(self.open)"),
    ("SKIP-11: after a fault at the end of the input UnexpectedEnd follows", "                yield from self.close(0)\n            except End:\n                return", "                yield from self.close(0)\n            except End:\n                if self.goes_on:\n                    self.events.append([\"UnexpectedEnd\", self.top])\n                return"),
    ("SKIP-11: when going on, the end of the input is no fault any more", "            except End:\n                self.events.append([\"UnexpectedEnd\", self.top])\n                return\n\n    def reports", "            except End:\n                return\n\n    def reports"),
    ("STRM-2: between packets the end of the input is a fault", "                    if self.ended:\n                        return\n                    yield\n                self.top", "                    if self.ended and self.events:\n                        raise End()\n                    if self.ended:\n                        return\n                    yield\n                self.top"),
    ("STRM-7: a search gives packets out of one that is cut", "            _, _, top_stop = read_packet(data, at, len(data), None, at)\n            for _", "            top_stop = len(data) if row[\"op\"] == \"search\" else read_packet(data, at, len(data), None, at)[2]\n            for _"),
    ("STRM-8: a reader goes on at the end of the hit", "yield from self.skip(self.top_stop)", "yield from self.skip(min(self.top_stop, max(self.at, self.events[-2][1] if len(self.events) > 1 and len(self.events[-2]) == 3 else self.top_stop)))"),
    ("STRM-8: hits around the fault are lost when going on", "            try:\n                yield from self.close(0)", "            if self.goes_on:\n                self.open = []\n            try:\n                yield from self.close(0)"),
    ("STRM-8: a hit around the fault is cut off where the fault is", "            try:\n                yield from self.close(0)", "            if not self.goes_on:\n                return\n            try:\n                yield from self.close(0)"),
    ("STRM-8: SizeLimit is an end", "            if not self.goes_on or self.top_stop is None:", "            if not self.goes_on or self.top_stop is None or [\"SizeLimit\", self.top] in self.events:"),
    ("EDIT-2: a flagged primitive on the way loses its flag", "                out += packed(tag, kept)", "                out += packed(tag if tag & 0x80 else tag & 0x3F, kept)"),
    ("EDIT-2: a flagged primitive around a splice loses its flag", "packed(tag, inside)", "packed(tag if tag & 0x80 else tag & 0x3F, inside)"),
    ("EDIT-1: copied packets get minimal lengths", "out += data[offset:stop]\n        elif inside", "out += packed(tag, data[value:stop])\n        elif inside"),
    ("STRM-11: hits and faults are reported at the end", "        given.append([list(event) for event in watcher.reports()[before:]])", "        given.append([])"),
    ("STRM-11: a search reports at the end", "        given.append(events[before:])", "        given.append([])"),
    ("EDIT-6: project keeps nodes that hold nothing", "if kept or not keeps:", "if True:"),
    ("EDIT-6: project keeps embedded packets that were empty", "if kept or not keeps:", "if kept or not keeps or not tag & 0x80 and value == stop:"),
    ("EDIT-7: remove drops nodes that became empty", "if kept or not keeps:", "if kept:"),
    ("EDIT-8: remove passes by a primitive on the way", "        elif not keeps:\n            raise Fault(\"NotAPrimitive\" if tag & 0x80 else \"NotANode\", offset)", "        elif not keeps:\n            out += data[offset:stop]"),
    ("EDIT-9: a packet at a path is read for longer paths", "if number is not None or not through:", "if number is not None and not through or not through:"),
    ("EDIT-10: the last packet at a path is changed", "for tag, offset, value, stop in packets(data, *level):\n        if path[at][0]", "for tag, offset, value, stop in reversed(list(packets(data, *level))):\n        if path[at][0]"),
    ("EDIT-10: only the first packet with each key is looked into", "        if changed is not None:\n            end", "        if changed is None:\n            return None\n        if changed is not None:\n            end"),
    ("EDIT-11: a value of another width is written too", "        if len(new) != stop - value:\n            raise Fault(\"Width\", value, len(new))\n", ""),
    ("EDIT-12: padding has no end", "if has > (5 if width == 32 else 10):\n            return value", "if False:\n            pass"),
    ("EDIT-12: negative numbers are padded with 80", "(b\"\\xff\" if value[0] & 0x40 else b\"\\x80\") * more", "b\"\\x80\" * more"),
    ("EDIT-12: bools are padded as NVarInt", "b\"\\x80\" * more + value if has <= 5", "bytes(more) + value if has <= 5"),
    ("EDIT-12: text is padded with blanks", "or kind == \"text\":\n        return value", "or kind == \"text\":\n        return value.ljust(has, b\" \") if kind == \"text\" and row.get(\"pad\") and more > 0 else value"),
    ("EDIT-13: lengths around a splice keep their size", "changed = None if inside is None else packed(tag, inside)", "changed = None if inside is None else data[offset:value - 1] + bytes([len(inside) & 0x7F]) + inside"),
    ("EDIT-14: a packet put into a slice keeps its key", "new = again(new_tag, new_value, is_item=is_item)", "new = again(new_tag, new_value)"),
    ("EDIT-14: a packet appended to a slice keeps its key", "again(new_tag, new_value, is_item=tag & 0x40)", "again(new_tag, new_value)"),
    ("EDIT-14: what is written again keeps bit 6", "kind = tag & 0xC0 if tag & 0x80 else 0", "kind = tag & 0xC0"),
    ("EDIT-15: lengths are tested before tags", "            if 0x40 <= tag < 0x80:\n", "            if value - offset - 1 != len(write_length(stop - value)):\n                first = \"PaddedLength@%d\" % (offset + 1)\n            elif 0x40 <= tag < 0x80:\n"),
    ("EDIT-15: packets in a node in a slice need key 0", "items[depth + 1] = tag & 0xC0 == 0xC0", "items[depth + 1] = tag & 0xC0 == 0xC0 or depth and items[depth]"),
    ("EDIT-16: a rewrite leaves keys of items", "out += again(tag, inside, is_item=is_item)", "out += again(tag, inside)"),
    ("TEXT-1: a comment ends with a carriage return too", "while self.peek() not in (\"\", \"\\n\"):", "while self.peek() not in (\"\", \"\\n\", \"\\r\"):"),
    ("TEXT-3: offsets count characters", "len(self.text[:self.at if at is None else at].encode(\"utf-8\"))", "len(self.text[:self.at if at is None else at])"),
    ("TEXT-4: floats beyond their type are infinite", "    if exponent > bias:\n        raise OverflowError\n", "    if exponent > bias:\n        return (2 * bias + 1) << mantissa\n"),
    ("TEXT-5: 01_1 counts the tag", "if width < len(length):", "if width < len(length) + 1:"),
    ("TEXT-6: embedded packets are no level", "document({\"{\": \"}\", \"[\": \"]\", \"=<<\": \">>\"}[opens], depth + 1)", "document({\"{\": \"}\", \"[\": \"]\", \"=<<\": \">>\"}[opens], depth + (opens != \"=<<\"))"),
    ("TEXT-7: texts are quoted from three characters on", "    if len(value) >= 3 and utf8_fault(value) is None:\n        text = value.decode(\"utf-8\", \"replace\")\n", "    if len(value) >= 3 and utf8_fault(value) is None and len(value.decode(\"utf-8\", \"replace\")) >= 3:\n        text = value.decode(\"utf-8\", \"replace\")\n"),
    ("TEXT-7: the highest control characters may be quoted", "or 0x7F <= ord(c) < 0xA0)", "or 0x7F == ord(c))"),
    ("TEXT-8: only the faulty packet is raw", "        parts.append(\"?\" + data[at:stop].hex())", "        parts.append(\"?\" + data[at:min(stop, at + 2)].hex())"),
    ("TEXT-8: a node below level 64 takes the rest of its level", "                parts.append(\"?\" + data[offset:after].hex())", "                parts.append(\"?\" + data[offset:stop].hex())\n                break"),
    ("TYPE-1: a struct refuses keys that it does not have", "            if child[0] & 0x3F in known:\n", "            if child[0] & 0x3F not in known:\n                raise Fault(\"UnknownField\", child[1])\n            else:\n"),
    ("TYPE-1: packets of unknown keys are looked into", "            if child[0] & 0x3F in known:\n", "            if child[0] & 0x80:\n                list(walk(data, child[2], end, child[3], top))\n            if child[0] & 0x3F in known:\n"),
    ("TYPE-1: a missing field is reported at the end of the struct", "raise Fault(\"MissingField\", offset)", "raise Fault(\"MissingField\", stop)"),
    ("TYPE-2: an absent field is an empty packet", "for field in fields if field in value)", "if field in value else packed(int(field, 16), b\"\") for field in fields)"),
    ("TYPE-3: items have key 0 when read, too", "return [inside_of(inner, child) for child in children()]", "return [inside_of(inner, child) for child in children() if not child[0] & 0x3F]"),
    ("TYPE-3: a list is read from slices alone", "    if name == \"list\":\n        return [inside", "    if name == \"list\":\n        if not tag & 0x40:\n            raise Fault(\"NotANode\", offset)\n        return [inside"),
    ("TYPE-3: a tuple ignores further items", "                raise Fault(\"ExtraItems\", child[1])", "                continue"),
    ("TYPE-4: the last of several keys in a map counts", "                raise Fault(\"RepeatedKey\", child[1])", "                pass"),
    ("TYPE-5: a u8 is one byte", "wide = WIDTHS[kind][0] if kind in WIDTHS", "wide = {\"u8\": \"i32\"}.get(kind, WIDTHS[kind][0]) if kind in WIDTHS and not (kind == \"u8\" and int(value) > 127 and (value := str(int(value) - 256))) else \"i32\" if kind == \"u8\""),
    ("TYPE-5: a u8 is cut to eight bits", "        if not low <= int(decode(wide, \"nvar\", value)) <= high:\n            raise wrong()\n", "        if kind == \"u8\":\n            return str(int(decode(wide, \"nvar\", value)) & 255)\n"),
    ("TYPE-7: a variant without content is an empty node", "        return packed(key, encode(\"u32\", \"nvar\", str(int(variant, 16))))", "        return packed(0x80 | key, packed(int(variant, 16), b\"\"))"),
    ("TYPE-7: a variant's number is its place", "str(int(variant, 16))", "str(list(inner).index(variant))"),
    ("TYPE-7: what follows the first packet of a variant is ignored", "if len(inside) != 1:", "if not inside:"),
    ("TYPE-8: the whole value has key 01 when read, too", "def read_root(row, data):\n    tag, value, stop = read_packet(data, 0, len(data), None, 0)\n", "def read_root(row, data):\n    tag, value, stop = read_packet(data, 0, len(data), None, 0)\n    if tag & 0x3F != 1:\n        raise Fault(\"UnexpectedKey\", 0)\n"),
    ("TYPE-9: types have no limit of depth", "    if tag & 0x80 and depth == 64:\n        raise Fault(\"DepthLimit\", offset)\n    around", "    around"),
]

# The misreadings that no row can notice, each with its reason.
REASONS = {}


def main(command):
    with open(os.path.join(HERE, "full.py"), encoding="utf-8") as source:
        whole = source.read()
    unnoticed = []
    for name, old, new in MISREADINGS:
        if whole.count(old) < 1:
            sys.exit("full.py has no such text: " + name)
        with tempfile.NamedTemporaryFile("w", suffix=".py", encoding="utf-8") as changed:
            changed.write(whole.replace(old, new, 1))
            changed.flush()
            run = [command, "conform", "--cases", "0", "--timeout", "5", "--failed", "--exec", sys.executable + " " + changed.name]
            done = subprocess.run(run, capture_output=True, text=True)
        if done.returncode == 0:
            unnoticed.append(name)
        elif "Error" in done.stderr:
            # The change must be a misreading, not a mistake in Python.
            sys.exit(name + " is no program: " + done.stderr.strip().splitlines()[-1])
    for name in unnoticed:
        print("no row notices:", name, "·", REASONS.get(name, "no reason"))
    print(len(MISREADINGS), "misreadings,", len(MISREADINGS) - len(unnoticed), "noticed")
    return any(name not in REASONS for name in unnoticed)


sys.exit(main(sys.argv[1]))
