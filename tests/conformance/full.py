"""Y3 in Python with all profiles, written only from SPEC.md and docs/spec. It answers the rows of `y3 conform`.

Each row is a line of JSON and gets a line as its answer. The code is slow. misread.py changes it in one place at a time and tests that a
row fails.
"""

import json
import re
import sys
from fractions import Fraction


class Fault(Exception):
    """An error: a kind and an offset."""


class End(Exception):
    """The input ended."""


# Packets ------------------------------------------------------------------------------------------------------------------------


def read_length(data, at, end):
    """The number in the length field at `at` and the end of the field, or nothing if the field is cut off."""
    n = 0
    for i in range(at, min(at + 5, end)):
        b = data[i]
        if i == at and b & 0x40:
            raise Fault("NegativeLength", at)
        if i == at + 4 and (b & 0x80 or data[at] > 0x87):
            raise Fault("LengthOverflow", at)
        n = n * 128 + (b & 0x7F)
        if not b & 0x80:
            return n, i + 1
    return None


def write_length(n):
    if n > 0x7FFFFFFF:
        raise Fault("SizeLimit", 0)
    size = 1
    while n >= 1 << (7 * size - 1):
        size += 1
    return bytes((n >> (7 * i)) & 0x7F | (0x80 if i else 0) for i in range(size - 1, -1, -1))


def packed(tag, value):
    return bytes([tag]) + write_length(len(value)) + value


def read_packet(data, at, end, parent, top):
    """The packet at `at`: its tag, the start of its value, its end."""
    if parent is not None and parent <= end:
        limit, missing = parent, Fault("Overrun", at)
    else:
        limit, missing = end, Fault("UnexpectedEnd", top)
    if at >= limit:
        raise missing
    field = read_length(data, at + 1, limit)
    if field is None:
        raise missing
    length, value = field
    stop = value + length
    if parent is not None and stop > parent:
        raise Fault("Overrun", at)
    if stop > end:
        raise Fault("UnexpectedEnd", top)
    return data[at], value, stop


def packets(data, at, end, parent=None, top=None):
    """The packets of an input that ends at `end`, or of a node that ends at `parent`."""
    while at < (end if parent is None else parent):
        tag, value, stop = read_packet(data, at, end, parent, at if top is None else top)
        yield tag, at, value, stop
        at = stop


def walk(data, at, end, parent=None, top=None, limit=64, depth=0):
    """Every packet at any depth, each node before its packets: depth, tag, offset, value, end."""
    for tag, offset, value, stop in packets(data, at, end, parent, top):
        if tag & 0x80 and depth >= limit:
            raise Fault("DepthLimit", offset)
        yield depth, tag, offset, value, stop
        if tag & 0x80:
            around = offset if top is None else top
            yield from walk(data, value, end, stop, around, limit, depth + 1)


def shape(data, at, end, parent=None, top=None, depth=0):
    drawn = []
    for tag, offset, value, stop in packets(data, at, end, parent, top):
        key = "%02x" % (tag & 0x3F)
        if not tag & 0x80:
            drawn.append(key + "=" + data[value:stop].hex())
            continue
        if depth == 64:
            raise Fault("DepthLimit", offset)
        inside = shape(data, value, end, stop, offset if top is None else top, depth + 1)
        drawn.append(key + ("[" + inside + "]" if tag & 0x40 else "{" + inside + "}"))
    return ",".join(drawn)


def write_shape(text, at=0, is_item=False):
    """The packets of the shape from `at` on, and the position after its closing bracket."""
    out = b""
    while at < len(text) and text[at] not in "}]":
        key, opens, at = int(text[at:at + 2], 16), text[at + 2], at + 3
        if key > 63:
            raise Fault("InvalidKey", len(out))
        if is_item:
            key = 0
        if opens == "=":
            stop = next((i for i in range(at, len(text)) if text[i] in ",}]"), len(text))
            out += packed(key, bytes.fromhex(text[at:stop]))
            at = stop
        else:
            value, at = write_shape(text, at, opens == "[")
            out += packed(key | (0xC0 if opens == "[" else 0x80), value)
        if text[at:at + 1] == ",":
            at += 1
    return out, at + 1


def look(op, row, data):
    if op == "find" and row["key"] > 63:
        raise Fault("InvalidKey", 0)
    tag, value, stop = read_packet(data, 0, len(data), None, 0)
    if op == "one":
        if stop < len(data):
            raise Fault("TrailingBytes", stop)
        return shape(data, 0, len(data))
    if op == "embedded":
        return shape(data, value, stop)
    if not tag & 0x80:
        raise Fault("NotANode", 0)
    if op == "children":
        return shape(data, value, len(data), stop, 0)
    for tag, offset, value, end in packets(data, value, len(data), stop, 0):
        if tag & 0x3F == row["key"]:
            return "%d:%s" % (offset, data[value:end].hex())
    return "none"


# Values -------------------------------------------------------------------------------------------------------------------------


def wrong():
    return Fault("InvalidValue", 0)


def decode_nvar(value, width):
    if not value or len(value) > width // 8:
        raise wrong()
    return int.from_bytes(value, "big", signed=True)


def decode_pvar(value, width):
    if not value or len(value) > (5 if width == 32 else 10):
        raise wrong()
    if value[-1] & 0x80 or not all(b & 0x80 for b in value[:-1]):
        raise wrong()
    n = -1 if value[0] & 0x40 else 0
    for b in value:
        n = n * 128 + (b & 0x7F)
    if not -(1 << (width - 1)) <= n < 1 << (width - 1):
        raise wrong()
    return n


def encode_nvar(n):
    size = 1
    while not -(1 << (8 * size - 1)) <= n < 1 << (8 * size - 1):
        size += 1
    return n.to_bytes(size, "big", signed=True)


def encode_pvar(n):
    size = 1
    while not -(1 << (7 * size - 1)) <= n < 1 << (7 * size - 1):
        size += 1
    return bytes((n >> (7 * i)) & 0x7F | (0x80 if i else 0) for i in range(size - 1, -1, -1))


def utf8_fault(value):
    """The position of the first sequence that is not UTF-8."""
    at = 0
    while at < len(value):
        first = value[at]
        low, high = 0x80, 0xBF
        if first <= 0x7F:
            more = 0
        elif 0xC2 <= first <= 0xDF:
            more = 1
        elif 0xE0 <= first <= 0xEF:
            more = 2
            low = 0xA0 if first == 0xE0 else 0x80
            high = 0x9F if first == 0xED else 0xBF
        elif 0xF0 <= first <= 0xF4:
            more = 3
            low = 0x90 if first == 0xF0 else 0x80
            high = 0x8F if first == 0xF4 else 0xBF
        else:
            return at
        for i in range(1, more + 1):
            if at + i >= len(value) or not low <= value[at + i] <= high:
                return at
            low, high = 0x80, 0xBF
        at += 1 + more
    return None


def decode(kind, dialect, value):
    """A value in the notation of the rows."""
    if kind in ("i32", "i64", "u32", "u64"):
        width = int(kind[1:])
        n = decode_pvar(value, width) if dialect == "pvar" else decode_nvar(value, width)
        return str(n + (1 << width) if kind[0] == "u" and n < 0 else n)
    if kind in ("f32", "f64"):
        size = int(kind[1:]) // 8
        if not value or len(value) > size:
            raise wrong()
        return "0x" + value.ljust(size, b"\0").hex()
    if kind == "bool":
        n = decode_pvar(value, 32) if value else 0
        if n not in (0, 1):
            raise wrong()
        return "true" if n else "false"
    if kind == "text":
        at = utf8_fault(value)
        if at is not None:
            raise Fault("InvalidUtf8", at)
        return value.decode("utf-8", "replace")
    return value.hex()


def encode(kind, dialect, text):
    if kind in ("i32", "i64", "u32", "u64"):
        width, n = int(kind[1:]), int(text)
        low, high = (0, 1 << width) if kind[0] == "u" else (-(1 << (width - 1)), 1 << (width - 1))
        if not low <= n < high:
            raise wrong()
        if n >= 1 << (width - 1):
            n -= 1 << width
        return encode_pvar(n) if dialect == "pvar" else encode_nvar(n)
    if kind in ("f32", "f64"):
        return bytes.fromhex(text[2:]).rstrip(b"\0") or b"\0"
    if kind == "bool":
        return b"\1" if text == "true" else b"\0"
    if kind == "utf16":
        text = bytes.fromhex(text).decode("utf-16-be", "surrogatepass")
    if kind in ("text", "utf16"):
        if any(0xD800 <= ord(c) <= 0xDFFF for c in text):
            raise Fault("InvalidUtf8", 0)
        return text.encode("utf-8")
    return bytes.fromhex(text)


def value_of(row, data):
    """The value of a packet, read as a type."""
    tag, value, stop = read_packet(data, 0, len(data), None, 0)
    if tag & 0x80:
        raise Fault("NotAPrimitive", 0)
    try:
        return decode(row["type"], row.get("dialect"), data[value:stop])
    except Fault as fault:
        raise Fault(fault.args[0], fault.args[1] + value)


# Paths and watching -------------------------------------------------------------------------------------------------------------


class Refused(Exception):
    pass


def parse_path(text):
    """The keys of a path (`None` for `*`), and the separator after each: `/`, `:` or nothing."""
    steps, word = [], ""
    for c in text + "\0":
        if c not in "/:\0":
            word += c
            continue
        key = None if word == "*" else int(word, 16) if word else 64
        if key is not None and key > 63:
            raise Refused()
        steps.append((key, c))
        word = ""
    return steps


def follow(paths, states, key):
    """The index of the first path that ends at a packet with this key, and the paths that continue inside it."""
    here = [(i, at) for i, at in states if paths[i][at][0] in (None, key)]
    ends = [i for i, at in here if at + 1 == len(paths[i])]
    return min(ends, default=None), [(i, at + 1) for i, at in here if at + 1 < len(paths[i])]


def entered(paths, states, is_node):
    """The paths that may enter the packet."""
    return [(i, at) for i, at in states if paths[i][at - 1][1] == ("/" if is_node else ":")]


class Watcher:
    """Reads bytes as they arrive. Each generator yields where it needs more."""

    def __init__(self, paths, limits, goes_on):
        self.paths, self.limits, self.goes_on = paths, limits, goes_on
        self.data, self.ended, self.at = bytearray(), False, 0
        # Hits in their order, with their values once they are complete, and errors.
        self.events = []
        # Watched packets around `at`: their ends and their events.
        self.open = []
        self.top, self.top_stop = 0, None

    def byte(self, end, missing):
        if end is not None and self.at == end:
            raise missing
        while self.at == len(self.data):
            if self.ended:
                raise End()
            yield
        self.at += 1
        return self.data[self.at - 1]

    def skip(self, stop):
        while len(self.data) < stop:
            if self.ended:
                self.at = len(self.data)
                raise End()
            yield
        self.at = stop

    def close(self, count):
        """Goes to the ends of all watched packets except the first `count`. Each is a hit once its last byte is there."""
        while len(self.open) > count:
            value, stop, event = self.open[-1]
            yield from self.skip(stop)
            self.open.pop()
            event[2] = bytes(self.data[value:stop]).hex()

    def length(self, end, missing):
        begin, n = self.at, 0
        first = None
        for i in range(5):
            b = yield from self.byte(end, missing)
            first = b if first is None else first
            if i == 0 and b & 0x40:
                raise Fault("NegativeLength", begin)
            if i == 4 and (b & 0x80 or first > 0x87):
                raise Fault("LengthOverflow", begin)
            n = n * 128 + (b & 0x7F)
            if not b & 0x80:
                return n

    def level(self, states, end, kind):
        """Watches the packets of an input, of a node, or embedded in a primitive."""
        while end is None or self.at < end:
            start = self.at
            if kind == "input":
                while start == len(self.data):
                    if self.ended:
                        return
                    yield
                self.top, self.top_stop = start, None
            missing = Fault("Overrun" if kind == "node" else "UnexpectedEnd", start)
            tag = yield from self.byte(end, missing)
            length = yield from self.length(end, missing)
            value, stop = self.at, self.at + length
            if kind == "input":
                self.top_stop = stop
            if end is not None and stop > end:
                raise missing
            if kind == "input" and stop - start > self.limits.get("packet", stop):
                raise Fault("SizeLimit", start)
            is_node = tag & 0x80 != 0
            number, through = follow(self.paths, states, tag & 0x3F)
            if number is not None and length > self.limits.get("value", length):
                raise Fault("SizeLimit", start)
            before = len(self.open)
            if number is not None:
                event = [number, start, None]
                self.events.append(event)
                self.open.append((value, stop, event))
            inside = entered(self.paths, through, is_node)
            if inside and is_node:
                yield from self.level(inside, stop, "node")
            elif inside:
                around = len(self.open)
                try:
                    yield from self.level(inside, stop, "embedded")
                except Fault as fault:
                    self.events.append(list(fault.args))
                    yield from self.close(around)
            yield from self.close(before)
            yield from self.skip(stop)

    def run(self):
        everything = [(i, 0) for i in range(len(self.paths))]
        while True:
            try:
                yield from self.level(everything, None, "input")
                return
            except End:
                self.events.append(["UnexpectedEnd", self.top])
                return
            except Fault as fault:
                self.events.append(list(fault.args))
            try:
                yield from self.close(0)
            except End:
                return
            if not self.goes_on or self.top_stop is None:
                return
            try:
                yield from self.skip(self.top_stop)
            except End:
                self.events.append(["UnexpectedEnd", self.top])
                return

    def reports(self):
        """The events so far. Events after an incomplete hit wait for that hit."""
        if self.ended:
            return [event for event in self.events if event[-1] is not None]
        whole = [event[-1] is not None for event in self.events] + [False]
        return self.events[:whole.index(False)]


def watch(row, data):
    try:
        paths = [parse_path(path) for path in row["paths"]]
    except Refused:
        return "refused"
    watcher = Watcher(paths, row.get("limits", {}), row.get("goes_on", False))
    running = watcher.run()
    if "piece" not in row:
        watcher.data, watcher.ended = data, True
        for _ in running:
            pass
        return watcher.reports()
    given, before = [], 0
    for at in range(0, len(data), row["piece"]):
        watcher.data += data[at:at + row["piece"]]
        next(running, None)
        given.append([list(event) for event in watcher.reports()[before:]])
        before += len(given[-1])
    watcher.ended = True
    for _ in running:
        pass
    return given + [watcher.reports()[before:]]


def at_any_depth(row, data):
    """A structural check or a search: the events of each piece and of the end of the input."""
    given, before = [], 0
    for at in range(row["piece"], len(data) + row["piece"], row["piece"]):
        events = top_level(row, data[:at])
        # Missing bytes are no error as long as more can arrive.
        if events and events[-1][0] == "UnexpectedEnd":
            events.pop()
        given.append(events[before:])
        before += len(given[-1])
    return given + [top_level(row, data)[before:]]


def top_level(row, data):
    """The events of each top-level packet once it is complete."""
    events, limits = [], row.get("limits", {})
    at, top_stop = 0, 0
    try:
        while at < len(data):
            field = read_length(data, at + 1, len(data))
            if field is not None and field[1] + field[0] - at > limits.get("packet", 1 << 40):
                raise Fault("SizeLimit", at)
            _, _, top_stop = read_packet(data, at, len(data), None, at)
            for _, tag, offset, value, stop in walk(data, at, top_stop, limit=min(limits.get("depth", 64), 64)):
                if row["op"] == "search" and tag & 0x3F == row["key"]:
                    events.append([0, offset, data[value:stop].hex()])
            at = top_stop
    except Fault as fault:
        events.append(list(fault.args))
    return events


# Edits --------------------------------------------------------------------------------------------------------------------------


def select(paths, states, data, level, keeps):
    """Project or remove: the bytes of a level that are kept."""
    out = b""
    for tag, offset, value, stop in packets(data, *level):
        number, through = follow(paths, states, tag & 0x3F)
        inside = entered(paths, through, tag & 0x80)
        if number is not None or not through:
            if (number is not None) == keeps:
                out += data[offset:stop]
        elif inside:
            top = offset if level[3] is None else level[3]
            deeper = (value, level[1], stop, top) if tag & 0x80 else (value, stop, None, None)
            kept = select(paths, inside, data, deeper, keeps)
            if kept == data[value:stop] and (kept or not keeps):
                out += data[offset:stop]
            elif kept or not keeps:
                out += packed(tag, kept)
        elif not keeps:
            raise Fault("NotAPrimitive" if tag & 0x80 else "NotANode", offset)
    return out


def edit_first(path, at, data, level, change):
    """The bytes of a level with the first packet at a path changed, or nothing if there is no such packet."""
    out, begin = b"", level[0]
    for tag, offset, value, stop in packets(data, *level):
        if path[at][0] not in (None, tag & 0x3F):
            continue
        changed = None
        if at + 1 == len(path):
            changed = change(tag, offset, value, stop)
        elif path[at][1] == ("/" if tag & 0x80 else ":"):
            top = offset if level[3] is None else level[3]
            deeper = (value, level[1], stop, top) if tag & 0x80 else (value, stop, None, None)
            is_slice = tag & 0xC0 == 0xC0
            inside = edit_first(path, at + 1, data, deeper, lambda *found: change(*found, is_slice))
            changed = None if inside is None else packed(tag, inside)
        if changed is not None:
            end = level[1] if level[2] is None else level[2]
            return data[begin:offset] + changed + data[stop:end]
    return None


def again(tag, value, key=None, is_item=False):
    """A packet that was read, written again: under 0 as an item, otherwise under `key` if there is one."""
    kind = tag & 0xC0 if tag & 0x80 else 0
    return packed(kind | (0 if is_item else tag & 0x3F if key is None else key), value)


def padded(row, value, has):
    """The value padded to this many bytes, if its type allows that."""
    kind, more = row["type"], has - len(value)
    if not row.get("pad") or more <= 0 or kind == "text":
        return value
    if kind in ("f32", "f64"):
        return value + bytes(more) if has <= int(kind[1:]) // 8 else value
    if kind == "bool":
        return b"\x80" * more + value if has <= 5 else value
    width = int(kind[1:])
    if row["dialect"] == "pvar":
        if has > (5 if width == 32 else 10):
            return value
        return (b"\xff" if value[0] & 0x40 else b"\x80") * more + value
    return (b"\xff" if value[0] & 0x80 else b"\0") * more + value if has <= width // 8 else value


def edit(op, row, data):
    level = (0, len(data), None, None)
    if op in ("project", "remove"):
        paths = [parse_path(path) for path in row["paths"]]
        return select(paths, [(i, 0) for i in range(len(paths))], data, level, op == "project").hex()
    path = parse_path(row["path"])
    if op == "patch":
        new, place = encode(row["type"], row.get("dialect"), row["value"]), []

        def look_only(tag, offset, value, stop, *_):
            if tag & 0x80:
                raise Fault("NotAPrimitive", offset)
            place.append((value, stop))
            return b""

        edit_first(path, 0, data, level, look_only)
        if not place:
            raise Fault("NotFound")
        value, stop = place[0]
        new = padded(row, new, stop - value)
        if len(new) != stop - value:
            raise Fault("Width", value, len(new))
        return (data[:value] + new + data[stop:]).hex()
    packet = bytes.fromhex(row["packet"])
    new_tag, new_value, new_stop = read_packet(packet, 0, len(packet), None, 0)
    new_value = packet[new_value:new_stop]

    def change(tag, offset, value, stop, is_item=False, *_):
        if op == "append":
            if not tag & 0x80:
                raise Fault("NotANode", offset)
            return packed(tag, data[value:stop] + again(new_tag, new_value, is_item=tag & 0x40))
        new = again(new_tag, new_value, is_item=is_item)
        return new + (data[offset:stop] if op == "insert" else b"")

    edited = edit_first(path, 0, data, level, change)
    if edited is None:
        raise Fault("NotFound")
    return edited.hex()


class Edit:
    def __init__(self, text):
        self.what, path, *last = text.split(" ")
        self.path, self.last, self.is_found = parse_path(path), bytes.fromhex(last[0]) if last else b"", False

    def written(self, key, is_item):
        tag, value, stop = read_packet(self.last, 0, len(self.last), None, 0)
        return again(tag, self.last[value:stop], key, is_item)


def together(edits, at, data, level, is_item):
    """The bytes of a level after these edits, whose paths all lead to the level."""
    out, sets = b"", [edit for edit in edits if edit.what == "set" and len(edit.path) == at + 1 and not edit.is_found]
    for edit in sets:
        edit.is_found = True
    reader, end = packets(data, *level), level[1] if level[2] is None else level[2]
    after = level[0]
    while after < end:
        if not any(edit.what in ("remove", "rename") or edit in sets or not edit.is_found for edit in edits):
            # The rest is not read because no edit is left.
            out += data[after:end]
            break
        tag, offset, value, after = next(reader)
        stop = after
        here = [edit for edit in edits if edit.path[at][0] in (None, tag & 0x3F)]
        ends = [edit for edit in here if len(edit.path) == at + 1]

        def first(*what):
            found = [edit for edit in ends if edit.what in what and (edit in sets or not edit.is_found)]
            for edit in found:
                edit.is_found = True
                if edit in sets:
                    sets.remove(edit)
            return found

        for edit in first("insert"):
            out += edit.written(None, is_item)
        new = first("set", "replace")
        if any(edit.what == "remove" for edit in ends):
            continue
        if new:
            out += new[-1].written(tag & 0x3F if new[-1].what == "set" else None, is_item)
            continue
        inside, through = data[value:stop], [edit for edit in here if len(edit.path) > at + 1]
        removes = [edit.path[at][1] for edit in through if edit.what == "remove"]
        if removes and ("/" if tag & 0x80 else ":") not in removes:
            raise Fault("NotAPrimitive" if tag & 0x80 else "NotANode", offset)
        through = [edit for edit in through if edit.path[at][1] == ("/" if tag & 0x80 else ":")]
        if through:
            top = offset if level[3] is None else level[3]
            deeper = (value, level[1], stop, top) if tag & 0x80 else (value, stop, None, None)
            inside = together(through, at + 1, data, deeper, tag & 0xC0 == 0xC0)
        for edit in first("append"):
            if not tag & 0x80:
                raise Fault("NotANode", offset)
            inside += edit.written(None, tag & 0x40)
        keys = [edit.last[0] for edit in ends if edit.what == "rename"]
        if keys:
            out += again(tag, inside, keys[-1], is_item)
        else:
            out += data[offset:stop] if inside == data[value:stop] else packed(tag, inside)
    for edit in sets:
        edit.is_found = edit.path[at][0] is not None
        out += edit.written(edit.path[at][0], is_item) if edit.is_found else b""
    return out


def edit_together(row, data):
    edits = [Edit(text) for text in row["edits"]]
    edited = together(edits, 0, data, (0, len(data), None, None), False)
    if any(edit.what not in ("remove", "rename") and not edit.is_found for edit in edits):
        raise Fault("NotFound")
    return edited.hex()


def canonical(data):
    first = "none"
    try:
        items = {}
        for depth, tag, offset, value, stop in walk(data, 0, len(data)):
            items[depth + 1] = tag & 0xC0 == 0xC0
            if 0x40 <= tag < 0x80:
                first = "FlaggedPrimitive@%d" % offset
            elif depth and items[depth] and tag & 0x3F:
                first = "ItemKey@%d" % offset
            elif value - offset - 1 != len(write_length(stop - value)):
                first = "PaddedLength@%d" % (offset + 1)
            if first != "none":
                break
    except Fault as fault:
        first = "%s@%d" % fault.args

    def rewritten(at, end, parent, top, depth, is_item):
        out = b""
        for tag, offset, value, stop in packets(data, at, end, parent, top):
            inside = data[value:stop]
            if tag & 0x80:
                if depth == 64:
                    raise Fault("DepthLimit", offset)
                inside = rewritten(value, end, stop, offset if top is None else top, depth + 1, tag & 0x40)
            out += again(tag, inside, is_item=is_item)
        return out

    try:
        return [first, rewritten(0, len(data), None, None, 0, False).hex()]
    except Fault as fault:
        return [first, "%s@%d" % fault.args]


def rewrite(row, data):
    tag, value, stop = read_packet(data, 0, len(data), None, 0)
    if stop < len(data):
        raise Fault("TrailingBytes", stop)
    key = None if row["as"] in ("own", "item") else row["as"]
    return again(tag, data[value:stop], key, row["as"] == "item").hex()


# Text form ----------------------------------------------------------------------------------------------------------------------

HIDDEN = """0..1f 7f..a0 ad 34f 600..605 61c 6dd 70f 890..891 8e2 115f..1160 1680 17b4..17b5 180b..180f 2000..200f 2028..202f 205f..206f 2800
3000 3164 e000..f8ff fdd0..fdef fe00..fe0f feff ffa0 fff0..fffb 110bd 110cd 13430..1343f 1bca0..1bca3 1d173..1d17a e0000..e0fff
f0000..10ffff"""
HIDDEN = [[int(end, 16) for end in part.split("..")] for part in HIDDEN.split()]
ESCAPES = {"\n": "n", "\r": "r", "\t": "t", '"': '"', "\\": "\\"}


def quoted(text):
    out = ""
    for c in text:
        if c in ESCAPES:
            out += "\\" + ESCAPES[c]
        elif any(part[0] <= ord(c) <= part[-1] for part in HIDDEN):
            out += "\\u{%x}" % ord(c)
        else:
            out += c
    return '"' + out + '"'


def value_text(value):
    if not value:
        return '""'
    if len(value) >= 3 and utf8_fault(value) is None:
        text = value.decode("utf-8", "replace")
        if not any((ord(c) < 0x20 or 0x7F <= ord(c) < 0xA0) and c not in "\n\r\t" for c in text):
            return quoted(text)
    return value.hex()


def to_text(data, at, end, parent=None, top=None, depth=0):
    parts = []
    stop = end if parent is None else parent
    try:
        for tag, offset, value, after in packets(data, at, end, parent, top):
            width = value - offset - 1
            text = "%02x" % (tag & 0x3F)
            if width != len(write_length(after - value)):
                text += "_%d" % width
            if not tag & 0x80:
                parts.append(("!" if tag & 0x40 else "") + text + "=" + value_text(data[value:after]))
            elif depth == 64:
                parts.append("?" + data[offset:after].hex())
            else:
                inside = to_text(data, value, end, after, offset if top is None else top, depth + 1)
                parts.append(text + ("[%s]" if tag & 0x40 else "{%s}") % inside)
            at = after
    except Fault:
        parts.append("?" + data[at:stop].hex())
    return ",".join(parts)


HEX = "0123456789abcdefABCDEF"
TYPES = ("i32", "u32", "i64", "u64", "pi32", "pu32", "pi64", "pu64", "f32", "f64", "bool")


class Reader:
    """Reads a text. `at` counts characters; the offsets of errors count bytes."""

    def __init__(self, text):
        self.text, self.at = text, 0

    def fail(self, kind, at=None):
        return Fault(kind, len(self.text[:self.at if at is None else at].encode("utf-8")))

    def peek(self, size=1):
        return self.text[self.at:self.at + size]

    def take(self, token):
        if self.text.startswith(token, self.at):
            self.at += len(token)
            return True
        return False

    def word(self):
        begin = self.at
        while self.peek() and self.peek().isascii() and self.peek().isalnum():
            self.at += 1
        return self.text[begin:self.at]

    def blank(self):
        while self.peek() and self.peek() in " \t\r\n,#":
            if self.take("#"):
                while self.peek() not in ("", "\n"):
                    self.at += 1
            else:
                self.at += 1

    def width(self, most):
        """The number after a `_`."""
        begin = self.at
        if not self.take("_"):
            return None
        digits = self.word()
        if not digits.isdigit() or digits[0] == "0" or len(digits) > 2 or int(digits) > most:
            raise self.fail("InvalidWidth", begin)
        return int(digits)

    def document(self, closes, depth):
        out = b""
        while True:
            self.blank()
            if not self.peek():
                return out
            if self.peek() in "}]>":
                if closes and self.take(closes):
                    self.closed = True
                    return out
                raise self.fail("Unopened")
            out += self.raw() if self.peek() == "?" else self.packet(depth, closes == "]")

    def raw(self):
        begin = self.at
        self.at += 1
        word = self.word()
        if not word or len(word) % 2 or any(c not in HEX for c in word):
            raise self.fail("InvalidHex", begin + 1)
        return bytes.fromhex(word)

    def packet(self, depth, is_item):
        begin = self.at
        is_flagged = self.take("!")
        key_at = self.at
        digits = self.word()
        short = digits[2:] if digits.startswith("0x") and len(digits) > 2 else digits
        if not 1 <= len(short) <= 2 or any(c not in HEX for c in short) or int(short, 16) > 0x3F:
            raise self.fail("ExpectedItem" if is_item else "ExpectedPacket", key_at if not is_flagged or digits else self.at)
        key, width_at = int(short, 16), self.at
        width = self.width(5)
        opens = next((o for o in ("=<<", "=", "{", "[") if self.text.startswith(o, self.at)), None)
        if opens is None or is_flagged and opens in "{[":
            raise self.fail("ExpectedContent")
        self.at += len(opens)
        tag = key | {"{": 0x80, "[": 0xC0}.get(opens, 0x40 if is_flagged else 0)
        if opens == "=":
            value = self.value()
        else:
            if depth == 64:
                raise self.fail("DepthLimit", begin)
            self.closed = False
            value = self.document({"{": "}", "[": "]", "=<<": ">>"}[opens], depth + 1)
            if not self.closed:
                raise self.fail("Unclosed", begin)
            self.closed = False
        length = write_length(len(value))
        if width is not None:
            if width < len(length):
                raise self.fail("InvalidWidth", width_at)
            length = b"\x80" * (width - len(length)) + length
        return bytes([tag]) + length + value

    def value(self):
        if self.peek() == '"':
            return self.quoted()
        begin = self.at
        word = self.word()
        if self.peek() == "(":
            return self.literal(word, begin)
        if not word and self.peek() and self.peek() not in " \t\r\n,#}]>!?":
            return b""
        if len(word) % 2 or any(c not in HEX for c in word):
            raise self.fail("InvalidHex", begin)
        return bytes.fromhex(word)

    def quoted(self):
        begin, out = self.at, ""
        self.at += 1
        while True:
            c, place = self.peek(), self.at
            self.at += 1
            if not c:
                raise self.fail("UnclosedText", begin)
            if c == '"':
                return out.encode("utf-8")
            if ord(c) < 0x20 or c == "\x7f":
                raise self.fail("InvalidEscape", place)
            if c != "\\":
                out += c
                continue
            named = {shown: c for c, shown in ESCAPES.items()}.get(self.peek())
            if named is not None:
                self.at += 1
                out += named
                continue
            end = self.text.find("}", self.at)
            digits = self.text[self.at + 2:end] if self.peek(2) == "u{" and end >= 0 else ""
            is_scalar = 1 <= len(digits) <= 6 and all(c in HEX for c in digits)
            if not is_scalar or int(digits, 16) > 0x10FFFF or 0xD800 <= int(digits, 16) <= 0xDFFF:
                raise self.fail("InvalidEscape", place)
            out += chr(int(digits, 16))
            self.at = end + 1

    def literal(self, kind, begin):
        self.at += 1
        inside = self.at
        end = self.text.find(")", inside)
        if end < 0 or "\n" in self.text[inside:end]:
            raise self.fail("InvalidLiteral", inside)
        text = self.text[inside:end].strip(" \t")
        self.at = end + 1
        width_at = self.at
        width = self.width(99)
        if kind not in TYPES:
            raise self.fail("UnknownType", begin)
        dialect = "pvar" if kind[0] == "p" else "nvar"
        kind = kind.lstrip("p")
        try:
            value = encode(kind, dialect, literal_value(kind, text))
        except (Fault, ValueError, OverflowError):
            raise self.fail("InvalidLiteral", inside)
        if width is not None:
            value = padded({"type": kind, "dialect": dialect, "pad": True}, value, width)
            if len(value) != width:
                raise self.fail("InvalidWidth", width_at)
        return value


def literal_value(kind, text):
    """A literal of the text form in the notation of the rows."""
    if kind == "bool":
        if text not in ("true", "false"):
            raise ValueError
        return text
    digits = text[1:] if text[:1] in ("+", "-") else text
    if kind[0] in "iu":
        if not digits.isascii() or not digits.isdigit():
            raise ValueError
        return text
    sign = "-" if text[:1] == "-" else ""
    word = digits.lower()
    size = int(kind[1:]) // 8
    infinity = "0x" + (bytes([0xFF if sign else 0x7F]) + (b"\x80" if size == 4 else b"\xf0")).ljust(size, b"\0").hex()
    if word in ("inf", "infinity"):
        return infinity
    if word == "nan":
        return "0x" + (bytes([0xFF if sign else 0x7F]) + (b"\xc0" if size == 4 else b"\xf8")).ljust(size, b"\0").hex()
    if re.fullmatch(r"(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?", word, re.ASCII) is None:
        raise ValueError
    bits = round_float(Fraction(word), 23 if size == 4 else 52, 8 if size == 4 else 11)
    if sign:
        bits |= 1 << (size * 8 - 1)
    return "0x%0*x" % (size * 2, bits)


def round_float(number, mantissa, exponent_bits):
    """The bits of the nearest float, ties to even."""
    bias = (1 << (exponent_bits - 1)) - 1
    if number == 0:
        return 0
    exponent = number.numerator.bit_length() - number.denominator.bit_length()
    if Fraction(2) ** exponent > number:
        exponent -= 1
    exponent = max(exponent, 1 - bias)
    scaled = round(number / Fraction(2) ** (exponent - mantissa))
    if scaled >> (mantissa + 1):
        scaled, exponent = scaled >> 1, exponent + 1
    if exponent > bias:
        raise OverflowError
    return scaled + ((exponent + bias - 1) << mantissa) if scaled >> mantissa else scaled


# Values of types ----------------------------------------------------------------------------------------------------------------

WIDTHS = {"u8": ("u32", 0, 255), "i8": ("i32", -128, 127), "u16": ("u32", 0, 65535), "i16": ("i32", -32768, 32767)}
NODES = ("struct", "list", "tuple", "map")


def moved(fault, by):
    return Fault(fault.args[0], fault.args[1] + by)


def read_as(kind, data, place, end, top, depth=0, around=None):
    """The value of the packet at `place`: tag, offset, start and end of its value. `around` is the struct that `self` means."""
    tag, offset, value, stop = place
    kind = around if kind == "self" else kind
    if tag & 0x80 and depth == 64:
        raise Fault("DepthLimit", offset)
    around = kind if "struct" in kind else around
    inside_of = lambda of, child: read_as(of, data, child, end, top, depth + 1, around)
    children = lambda: packets(data, value, end, stop, top)
    name = kind if isinstance(kind, str) else next(iter(kind))
    if name in NODES and not tag & 0x80:
        raise Fault("NotANode", offset)
    if isinstance(kind, str):
        if tag & 0x80:
            raise Fault("NotAPrimitive", offset)
        try:
            return read_primitive(kind, data[value:stop])
        except Fault as fault:
            raise moved(fault, value)
    inner = kind[name]
    if name == "struct":
        known = {int(key.rstrip("?"), 16): (key.rstrip("?"), of) for key, of in inner.items()}
        found = {}
        for child in children():
            if child[0] & 0x3F in known:
                key, of = known[child[0] & 0x3F]
                if key in found:
                    raise Fault("RepeatedField", child[1])
                found[key] = inside_of(of, child)
        if any(key not in found for key in inner if not key.endswith("?")):
            raise Fault("MissingField", offset)
        return found
    if name == "list":
        return [inside_of(inner, child) for child in children()]
    if name == "tuple":
        items = []
        for child in children():
            if len(items) == len(inner):
                raise Fault("ExtraItems", child[1])
            items.append(inside_of(inner[len(items)], child))
        if len(items) < len(inner):
            raise Fault("MissingItems", offset)
        return items
    if name == "map":
        found = {}
        for child in children():
            key = "%02x" % (child[0] & 0x3F)
            if key in found:
                raise Fault("RepeatedKey", child[1])
            found[key] = inside_of(inner, child)
        return found
    if not tag & 0x80:
        try:
            key = "%02x" % int(decode("u32", "nvar", data[value:stop]))
        except Fault as fault:
            raise moved(fault, value)
        if inner.get(key, 0) is not None:
            raise Fault("UnknownVariant", offset)
        return {key: None}
    inside = list(children())
    if len(inside) != 1:
        raise Fault("NotOneVariant", offset)
    key = "%02x" % (inside[0][0] & 0x3F)
    if inner.get(key) is None:
        raise Fault("UnknownVariant", inside[0][1])
    return {key: inside_of(inner[key], inside[0])}


def read_primitive(kind, value):
    if kind == "unit":
        if value:
            raise wrong()
        return None
    if kind in WIDTHS:
        wide, low, high = WIDTHS[kind]
        if not low <= int(decode(wide, "nvar", value)) <= high:
            raise wrong()
        return decode(wide, "nvar", value)
    text = decode("text" if kind == "char" else kind, "nvar", value)
    if kind == "char" and len(text) != 1:
        raise wrong()
    return text


def write_as(kind, value, key, around=None):
    kind = around if kind == "self" else kind
    around = kind if "struct" in kind else around
    if kind == "unit":
        return packed(key, b"")
    if isinstance(kind, str):
        wide = WIDTHS[kind][0] if kind in WIDTHS else "text" if kind == "char" else kind
        return packed(key, encode(wide, "nvar", value))
    (name, inner), = kind.items()
    if name == "struct":
        of = {field.rstrip("?"): kind for field, kind in inner.items()}
        fields = (field.rstrip("?") for field in inner)
        inside = b"".join(write_as(of[field], value[field], int(field, 16), around) for field in fields if field in value)
        return packed(0x80 | key, inside)
    if name in ("list", "tuple"):
        kinds = inner if name == "tuple" else [inner] * len(value)
        return packed(0xC0 | key, b"".join(write_as(of, item, 0, around) for of, item in zip(kinds, value)))
    if name == "map":
        inside = b""
        for at, of in value.items():
            if int(at, 16) > 63:
                # The offset is after the map's header, which has two bytes so far.
                raise Fault("InvalidKey", 2 + len(inside))
            inside += write_as(inner, of, int(at, 16), around)
        return packed(0x80 | key, inside)
    (variant, content), = value.items()
    if content is None:
        return packed(key, encode("u32", "nvar", str(int(variant, 16))))
    return packed(0x80 | key, write_as(inner[variant], content, int(variant, 16), around))


def read_root(row, data):
    tag, value, stop = read_packet(data, 0, len(data), None, 0)
    if stop < len(data):
        raise Fault("TrailingBytes", stop)
    return read_as(row["type"], data, (tag, 0, value, stop), len(data), 0)


# Answers ------------------------------------------------------------------------------------------------------------------------


def answer(row):
    op, data = row["op"], bytes.fromhex(row.get("hex", ""))
    if op == "length":
        field = read_length(data, 0, len(data))
        return "cut" if field is None else field[0]
    if op == "read":
        return shape(data, 0, len(data))
    if op in ("one", "children", "embedded", "find"):
        return look(op, row, data)
    if op == "write":
        return write_shape(row["packets"])[0].hex()
    if op == "write_length":
        return write_length(row["length"]).hex()
    if op == "decode":
        return decode(row["type"], row.get("dialect"), data)
    if op == "encode":
        return encode(row["type"], row.get("dialect"), row["value"]).hex()
    if op == "value":
        return value_of(row, data)
    if op == "watch":
        return watch(row, data)
    if op in ("check", "search"):
        return at_any_depth(row, data)
    if op in ("project", "remove", "patch", "replace", "insert", "append"):
        return edit(op, row, data)
    if op == "edit":
        return edit_together(row, data)
    if op == "canonical":
        return canonical(data)
    if op == "rewrite":
        return rewrite(row, data)
    if op == "read_as":
        return {"value": read_root(row, data)}
    if op == "write_as":
        return write_as(row["type"], row["value"], 1).hex()
    if op == "to_text":
        return to_text(data, 0, len(data))
    if op == "from_text":
        return Reader(row["text"]).document("", 0).hex()
    return None


for line in sys.stdin:
    row = json.loads(line)
    try:
        result = answer(row)
        given = {"skip": True} if result is None else {"result": result["value"] if row["op"] == "read_as" else result}
    except Fault as fault:
        given = {"error": fault.args}
    print(json.dumps({"id": row["id"], **given}), flush=True)
