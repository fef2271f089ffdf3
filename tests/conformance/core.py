"""Y3 in Python, profile core: answers the rows of `y3 conform`. In: a line of JSON for each row. Out: a line each."""
import json, sys
class Fault(Exception): pass

def length(data, at, end):
    """The length field at `at`: the number, and where the field ends; nothing if it is cut."""
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

def packet(data, at, end, parent, top):
    """The packet at `at`: tag, where its value begins, where it ends. The input ends at `end`, the node around at `parent`."""
    limit = end if parent is None else min(parent, end)
    field = length(data, at + 1, limit) if at < limit else None
    stop = field and field[1] + field[0]
    if parent is not None and (stop > parent if field else limit == parent):
        raise Fault("Overrun", at)
    if not field or stop > end:
        raise Fault("UnexpectedEnd", top)
    return data[at], field[1], stop

def packets(data, at, end, parent=None, top=None):
    while at < end:
        tag, value, stop = packet(data, at, end, parent, at if top is None else top)
        yield tag, at, value, stop
        at = stop

def shape(data, at, end, parent=None, top=None, depth=0):
    """The packets of one level as the rows draw them, with all that is in them."""
    drawn = []
    for tag, offset, value, stop in packets(data, at, end, parent, top):
        if tag < 0x80:
            drawn.append("%02x=%s" % (tag & 63, data[value:stop].hex()))
            continue
        if depth == 64:
            raise Fault("DepthLimit", offset)
        inside = shape(data, value, stop, stop, offset if top is None else top, depth + 1)
        drawn.append("%02x" % (tag & 63) + ("[%s]" if tag & 0x40 else "{%s}") % inside)
    return ",".join(drawn)

def write_length(n):
    if n > 0x7FFFFFFF:
        raise Fault("SizeLimit", 0)
    size = next(size for size in range(1, 6) if n < 1 << (7 * size - 1))
    return bytes(n >> 7 * i & 0x7F | (0x80 if i else 0) for i in reversed(range(size)))

def write(text, at=0, is_item=False):
    """The packets drawn from `at` on, and what follows the bracket that closes them."""
    out = b""
    while at < len(text) and text[at] not in "}]":
        key, opens, at = int(text[at:at + 2], 16), text[at + 2], at + 3
        if key > 63:
            raise Fault("InvalidKey", len(out))
        if opens == "=":
            stop = next((i for i in range(at, len(text)) if text[i] in ",}]"), len(text))
            value, at = bytes.fromhex(text[at:stop]), stop
        else:
            value, at = write(text, at, opens == "[")
        out += bytes([(0 if is_item else key) | {"=": 0, "{": 0x80, "[": 0xC0}[opens]]) + write_length(len(value)) + value
        at += text[at:at + 1] == ","
    return out, at + 1

def answer(op, row, data):
    if op == "length":
        return (length(data, 0, len(data)) or ["cut"])[0]
    if op in ("write", "write_length"):
        return (write(row["packets"])[0] if op == "write" else write_length(row["length"])).hex()
    if op == "read":
        return shape(data, 0, len(data))
    if op not in ("one", "children", "embedded", "find"):
        return None
    if op == "find" and row["key"] > 63:
        raise Fault("InvalidKey", 0)
    tag, value, stop = packet(data, 0, len(data), None, 0)
    if op == "one" and stop < len(data):
        raise Fault("TrailingBytes", stop)
    if op in ("one", "embedded"):
        return shape(data, 0 if op == "one" else value, stop)
    if tag < 0x80:
        raise Fault("NotANode", 0)
    if op == "children":
        return shape(data, value, stop, stop, 0)
    found = (p for p in packets(data, value, stop, stop, 0) if p[0] & 63 == row["key"])
    return next(("%d:%s" % (p[1], data[p[2]:p[3]].hex()) for p in found), "none")

for line in sys.stdin:
    row = json.loads(line)
    try:
        result = answer(row["op"], row, bytes.fromhex(row.get("hex", "")))
        given = {"skip": True} if result is None else {"result": result}
    except Fault as fault:
        given = {"error": fault.args}
    print(json.dumps({"id": row["id"], **given}), flush=True)
