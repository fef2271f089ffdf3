-- Shows Y3 packets and YoMo's frames in Wireshark: a tree of packets with their values, and faults as expert information.
--
-- Reads TCP and UDP on chosen ports, exported PDUs, and QUIC streams with ALPN `yomo` that Wireshark can decrypt. README.md in this
-- folder shows how to install it, and how to use a names file. The rules and the names of faults are those of SPEC.md. A sender may
-- choose any lengths, so every loop ends at the end of the bytes, after a number of packets or at a depth, and every range is cut to
-- the bytes that are there.

local MAX_DEPTH = 64 -- nested nodes in one input [DEC-6]
local MAX_LEVELS = 200 -- nodes and payloads together; Wireshark refuses a tree of more than 500 levels
local MAX_PAYLOADS = 8 -- payloads in payloads
local MAX_TEXT = 256 -- bytes of a text that are shown
local MAX_HEX = 16 -- bytes of a value in the line of its packet
local MAX_NAMES = 6 -- packets in the info column
local MAX_BRACKETS = 64 -- brackets in brackets in a names file
local MAX_FILE = 1048576 -- bytes of a names file

-- ---------------------------------------------------------------------------------------------------- protocols and fields

local function protocol(name, description, payloads)
    local proto = Proto(name, description)
    local prefs = proto.prefs
    prefs.tcp_ports = Pref.range("TCP ports", "", "For example 6142 or 6000-6010,7000", 65535)
    prefs.udp_ports = Pref.range("UDP ports", "", "Each datagram is a separate input", 65535)
    prefs.payloads = Pref.string("Payloads to open", payloads,
        "Paths of primitives whose bytes are packets, with spaces between them, such as 3f/02 3f/02:01/10; * opens all such values")
    prefs.names = Pref.string("Names file", "", "Path of a file with names and types of keys, such as names/noise.y3n")
    prefs.max_packets = Pref.uint("Packets shown in a frame", 1000, "Further packets are not read")
    prefs.max_reassembled = Pref.uint("Largest packet that is reassembled", 16777216,
        "In bytes, for packets that are split between TCP segments")
    return proto
end

local y3 = protocol("y3", "Y3", "")
local yomo = protocol("yomo", "YoMo", "3f/02")

local f = {
    packet = ProtoField.none("y3.packet", "Packet"),
    path = ProtoField.string("y3.path", "Path"),
    name = ProtoField.string("y3.name", "Name"),
    tag = ProtoField.uint8("y3.tag", "Tag", base.HEX),
    node = ProtoField.bool("y3.node", "Node", 8, nil, 0x80),
    slice = ProtoField.bool("y3.slice", "Slice", 8, nil, 0x40),
    key = ProtoField.uint8("y3.key", "Key", base.HEX, nil, 0x3f),
    length = ProtoField.uint32("y3.length", "Length", base.DEC),
    value = ProtoField.bytes("y3.value", "Value"),
    text = ProtoField.string("y3.text", "May be text"),
    nvar = ProtoField.int64("y3.nvar", "May be NVarInt"),
    pvar = ProtoField.int64("y3.pvar", "May be PVarInt"),
    f32 = ProtoField.float("y3.f32", "May be f32"),
    f64 = ProtoField.double("y3.f64", "May be f64"),
    bool = ProtoField.bool("y3.bool", "May be bool"),
    unsigned = ProtoField.uint64("y3.unsigned", "Unsigned"),
    variant = ProtoField.string("y3.variant", "Variant"),
    fault = ProtoField.string("y3.fault", "Fault"),
    offset = ProtoField.uint32("y3.fault.offset", "At byte"),
}
y3.fields = f

local g = {
    frame = ProtoField.string("yomo.frame", "Frame"),
    field = ProtoField.string("yomo.field", "Field"),
    tag = ProtoField.uint32("yomo.tag", "Data tag", base.HEX_DEC),
    observed = ProtoField.uint32("yomo.observed", "Observed tag", base.HEX_DEC),
    client = ProtoField.uint8("yomo.client", "Client type", base.HEX,
        { [0x5d] = "stream function", [0x5e] = "upstream server", [0x5f] = "source" }),
}
yomo.fields = g

local function marks(group, severity, texts)
    local made = {}
    for name, text in pairs(texts) do
        made[name] = ProtoExpert.new("y3.expert." .. name:lower(), text, group, severity)
    end
    return made
end

-- The kinds of SPEC.md, section 8.
local fault_marks = marks(expert.group.MALFORMED, expert.severity.ERROR, {
    UnexpectedEnd = "UnexpectedEnd: the input ends inside this packet",
    Overrun = "Overrun: this packet extends past the end of its node",
    NegativeLength = "NegativeLength: the length has the sign bit set",
    LengthOverflow = "LengthOverflow: the length does not fit 31 bits or five bytes",
    DepthLimit = "DepthLimit: more than 64 nested nodes",
})
local limit_marks = marks(expert.group.UNDECODED, expert.severity.WARN, {
    Uncaptured = "The capture lacks bytes of this packet",
    Unassembled = "This packet continues in another segment, but reassembly is off",
    TooLarge = "This packet is larger than the preference max_reassembled allows",
    TooMany = "More packets than the preference max_packets allows; the rest is not read",
    TooDeep = "More levels than a tree can show; the rest of this packet is not read",
})
local note_marks = marks(expert.group.PROTOCOL, expert.severity.NOTE, {
    Padded = "This length is longer than needed",
    Flagged = "Bit 6 of a primitive is reserved",
    BadPreference = "A preference contains an invalid path or an invalid names file",
    NotAsNamed = "This packet does not match the names file",
})
local experts = {}
for _, made in ipairs({ fault_marks, limit_marks, note_marks }) do
    for _, mark in pairs(made) do
        experts[#experts + 1] = mark
    end
end
y3.experts = experts

-- Appendix "YoMo's frames": outermost tag -> name, and key -> name of a field.
local FRAMES = {
    [0xb1] = { "HandshakeFrame", { [1] = "name", [2] = "client type", [3] = "id", [4] = "auth name", [5] = "auth payload",
        [6] = "observed tags", [7] = "version", [8] = "target", [9] = "definition" } },
    [0xa9] = { "HandshakeAckFrame", {} },
    [0xb9] = { "RejectedFrame", { [1] = "message" } },
    [0xbe] = { "ConnectToFrame", { [1] = "endpoint" } },
    [0xbf] = { "DataFrame", { [1] = "tag", [2] = "payload", [3] = "metadata" } },
    [0xae] = { "GoawayFrame", { [1] = "message" } },
}

-- ------------------------------------------------------------------------------------------------------------- the wire

-- Returns the length in the field at `at` and the size of the field, or nil and a fault, or nil alone if the field ends after `stop`.
-- Offsets count from 0.
local function read_length(bytes, at, stop)
    local first, n = nil, 0
    for i = 0, 4 do
        if at + i >= stop then
            return nil
        end
        local b = bytes:byte(at + i + 1)
        first = first or b
        if i == 0 and b % 128 >= 64 then
            return nil, "NegativeLength"
        end
        if i == 4 and (b >= 128 or first > 0x87) then
            return nil, "LengthOverflow"
        end
        n = n * 128 + b % 128
        if b < 128 then
            return n, i + 1
        end
    end
end

-- The bytes that a length needs.
local function length_size(n)
    local size = 1
    while n >= 2 ^ (7 * size - 1) do
        size = size + 1
    end
    return size
end

-- Reads the packet at `at` as read_packet of SPEC.md. Returns the fault and its offset, or nil twice; then the tag, the length, the
-- size of the length field, and where the packet ends. If the input ends inside the packet, its header is returned too.
local function read_packet(bytes, at, parent, input, outermost)
    local stop, missing, missing_at = input, "UnexpectedEnd", outermost
    if parent and parent <= input then
        stop, missing, missing_at = parent, "Overrun", at
    end
    if at >= stop then
        return missing, missing_at
    end
    local tag = bytes:byte(at + 1)
    local length, size = read_length(bytes, at + 1, stop)
    if not length then
        if size then
            return size, at + 1, tag
        end
        return missing, missing_at, tag
    end
    local finish = at + 1 + size + length
    if parent and finish > parent then
        return "Overrun", at, tag, length, size, finish
    end
    if finish > input then
        return "UnexpectedEnd", outermost, tag, length, size, finish
    end
    return nil, nil, tag, length, size, finish
end

-- Returns true if all bytes are packets, at every depth. `budget.steps` limits the work of all calls for one frame.
local function is_packets(bytes, from, to, budget)
    local at, ends = from, {}
    while true do
        while #ends > 0 and at == ends[#ends] do
            ends[#ends] = nil
        end
        if at == to and #ends == 0 then
            return to > from
        end
        budget.steps = budget.steps - 1
        local kind, _, tag, length, _, finish = read_packet(bytes, at, ends[#ends], to, at)
        if kind or budget.steps < 0 then
            return false
        end
        if tag < 128 then
            at = finish
        elseif #ends == MAX_DEPTH then
            return false
        else
            at = finish - length
            ends[#ends + 1] = finish
        end
    end
end

-- ----------------------------------------------------------------------------------------------- what a value may be

-- True for characters that are escaped: control characters, invisible characters, and those that change the direction of text.
local function is_hidden(c)
    return c < 0x20 or c == 0x5c or (c >= 0x7f and c < 0xa0) or c == 0xad or c == 0x61c or (c >= 0x200b and c <= 0x200f)
        or (c >= 0x2028 and c <= 0x202e) or (c >= 0x2060 and c <= 0x206f) or c == 0xfeff or (c >= 0xfff9 and c <= 0xfffb)
        or (c >= 0xe0000 and c < 0xe1000)
end

-- Returns the text, escaped and cut to MAX_TEXT bytes, or nil if these bytes are not UTF-8.
local function text(bytes, from, to)
    local at, shown = from, {}
    while at < to do
        local b = bytes:byte(at + 1)
        local more, c, least = 0, b, 0
        if b >= 0xf0 and b < 0xf5 then
            more, c, least = 3, b - 0xf0, 0x10000
        elseif b >= 0xe0 and b < 0xf0 then
            more, c, least = 2, b - 0xe0, 0x800
        elseif b >= 0xc2 and b < 0xe0 then
            more, c, least = 1, b - 0xc0, 0x80
        elseif b >= 0x80 then
            return nil
        end
        if at + more >= to then
            return nil
        end
        for i = 1, more do
            local next_byte = bytes:byte(at + i + 1)
            if next_byte < 0x80 or next_byte >= 0xc0 then
                return nil
            end
            c = c * 64 + next_byte - 0x80
        end
        if c < least or c > 0x10ffff or (c >= 0xd800 and c < 0xe000) then
            return nil
        end
        if at + more + 1 - from > MAX_TEXT then
            shown[#shown + 1] = "..."
            break
        end
        if c == 0x5c then
            shown[#shown + 1] = "\\\\"
        elseif is_hidden(c) then
            shown[#shown + 1] = string.format("\\u{%x}", c)
        else
            shown[#shown + 1] = bytes:sub(at + 1, at + more + 1)
        end
        at = at + more + 1
    end
    return table.concat(shown)
end

-- Returns a signed 64-bit number from digits of `radix`, and its two unsigned halves, or nil if it does not fit.
local function integer(bytes, from, to, radix)
    local sign = bytes:byte(from + 1) % radix >= radix / 2
    local high, low = sign and -1 or 0, sign and 4294967295 or 0
    for at = from, to - 1 do
        low = low * radix + bytes:byte(at + 1) % radix
        high = high * radix + math.floor(low / 4294967296)
        low = low % 4294967296
        if high < -2147483648 or high > 2147483647 then
            return nil
        end
    end
    return Int64.new(low, high % 4294967296), low, high % 4294967296
end

-- True if the bytes are exactly one PVarInt [PVAR-5].
local function is_pvar(bytes, from, to)
    for at = from, to - 1 do
        if (bytes:byte(at + 1) >= 128) ~= (at < to - 1) then
            return false
        end
    end
    return to - from <= 10
end

-- Returns an IEEE 754 number from bytes without trailing zero bytes.
local function float(bytes, from, to, width, exponent_bits)
    local digits, mantissa_bits = {}, 8 * width - 1 - exponent_bits
    for i = 0, width - 1 do
        digits[i] = from + i < to and bytes:byte(from + i + 1) or 0
    end
    -- The first two bytes hold the sign, all of the exponent and the highest bits of the mantissa.
    local head = digits[0] * 256 + digits[1]
    local unit = 2 ^ (15 - exponent_bits)
    local exponent = math.floor(head % 32768 / unit)
    local mantissa = head % unit
    for i = 2, width - 1 do
        mantissa = mantissa * 256 + digits[i]
    end
    local bias, number = 2 ^ (exponent_bits - 1) - 1, nil
    if exponent == 2 ^ exponent_bits - 1 then
        number = mantissa == 0 and math.huge or 0 / 0
    elseif exponent == 0 then
        number = mantissa * 2 ^ (1 - bias) / 2 ^ mantissa_bits
    else
        number = (1 + mantissa / 2 ^ mantissa_bits) * 2 ^ (exponent - bias)
    end
    return head >= 32768 and -number or number
end

local function add_guesses(tree, bytes, range, from, to)
    local size = to - from
    local read_as_text = text(bytes, from, to)
    if read_as_text then
        tree:add(f.text, range, read_as_text):set_generated()
    end
    if size >= 1 and size <= 8 then
        local number = integer(bytes, from, to, 256)
        tree:add(f.nvar, range, number):set_generated()
    end
    if size >= 1 and is_pvar(bytes, from, to) then
        local number = integer(bytes, from, to, 128)
        if number then
            tree:add(f.pvar, range, number):set_generated()
        end
    end
    if size >= 1 and size <= 4 then
        tree:add(f.f32, range, float(bytes, from, to, 4, 8)):set_generated()
    end
    if size >= 1 and size <= 8 then
        tree:add(f.f64, range, float(bytes, from, to, 8, 11)):set_generated()
    end
    if size == 1 and bytes:byte(from + 1) < 2 then
        tree:add(f.bool, range, bytes:byte(from + 1) == 1):set_generated()
    end
end

local function hex(bytes, from, to)
    local shown = {}
    for at = from, math.min(to, from + MAX_HEX) - 1 do
        shown[#shown + 1] = string.format("%02x", bytes:byte(at + 1))
    end
    return table.concat(shown) .. (to - from > MAX_HEX and "..." or "")
end

-- ------------------------------------------------------------------------------------------------- preferences: names

-- Bits of the integers, and whether they have a sign.
local INTEGERS = { i8 = { 8, true }, i16 = { 16, true }, i32 = { 32, true }, i64 = { 64, true }, u8 = { 8, false },
    u16 = { 16, false }, u32 = { 32, false }, u64 = { 64, false } }
local WORDS = { bytes = true, text = true, bool = true, f32 = true, f64 = true }
for word in pairs(INTEGERS) do
    WORDS[word] = true
end
-- Other words of the grammar, which cannot be names of types.
local RESERVED = { map = true, of = true, one = true, packets = true, pvar = true, usize = true, isize = true }
local NAME = "[A-Za-z_][A-Za-z0-9_%-]*"

-- The top level of a names file, as a node; an error is a message and an offset. A type is a table with `what` it is: `value` (with
-- `word` and `pvar`), `node`, `packets`, `one of` (with `fields`, and `by_key`), `slice`, `map` (`item`), `tuple` (`items`), `unit`,
-- `named` (`name`).
local function parse_names(text)
    local at, depth, types, order, kind = 1, 0, {}, {}, nil
    local function fail(message, where)
        error({ message = message, at = where or at - 1 }, 0)
    end
    local function blank()
        repeat
            local before = at
            at = text:match("^[ \t\r\n]*()", at)
            at = text:match("^#[^\n]*()", at) or at
        until at == before
    end
    local function take(pattern)
        local found, after = text:match("^(" .. pattern .. ")()", at)
        if found then
            at = after
            blank()
        end
        return found
    end
    local function expect(found, what)
        return found or fail("expected " .. what)
    end
    local function nested(inside)
        if depth == MAX_BRACKETS then
            fail("expected at most 64 levels")
        end
        depth = depth + 1
        local found = inside()
        depth = depth - 1
        return found
    end
    local function field()
        local start, key = at - 1, tonumber(text:match("^%x%x", at) or "40", 16)
        if key > 63 then
            return nil
        end
        take("%x%x")
        local found = { key = key, start = start, name = expect(take(NAME), "a name") }
        if at > #text or text:find("^[0-9}?]", at) then
            found.kind = { what = "unit" }
        else
            found.kind = expect(kind(), "a type")
        end
        take("%?")
        return found
    end
    local function fields(what)
        return take("{") and nested(function()
            local list = {}
            for found in field do
                list[#list + 1] = found
            end
            expect(take("}"), "a key, or }")
            return { what = what, fields = list }
        end)
    end
    function kind()
        if take("%[") then
            local item = nested(function() return expect(kind(), "a type") end)
            expect(take("%]"), "]")
            return { what = "slice", item = item }
        elseif take("%(") then
            local items = nested(function()
                local items = {}
                for item in kind do
                    items[#items + 1] = item
                end
                return items
            end)
            expect(take("%)"), "a type, or )")
            return { what = "tuple", items = items }
        end
        local start, word = at - 1, text:match("^" .. NAME, at)
        if not word then
            return fields("node")
        elseif word == "of" or word == "usize" or word == "isize" then
            return nil
        end
        take(NAME)
        if word == "packets" then
            return expect(fields("packets"), "{")
        elseif word == "one" then
            expect(take("of%f[^A-Za-z0-9_-]"), "of")
            return expect(fields("one of"), "{")
        elseif word == "map" then
            return { what = "map", item = nested(function() return expect(kind(), "a type") end) }
        elseif word == "pvar" then
            local inside = text:match("^" .. NAME, at)
            if not inside or not inside:find("^[iu][36][24]$") then
                fail("expected a type")
            end
            return { what = "value", word = take(NAME), pvar = true }
        elseif WORDS[word] then
            return { what = "value", word = word }
        end
        return { what = "named", name = word, start = start }
    end

    blank()
    local top = { what = "node", fields = {} }
    while at <= #text do
        local start, name = at, take(NAME)
        if name and take("=") then
            local defined = expect(kind(), "a type")
            order[#order + 1] = { name = name, kind = defined, start = start - 1, is_first = not types[name] }
            types[name] = types[name] or defined
        else
            at = start
            top.fields[#top.fields + 1] = expect(field(), "a key of two hexadecimal digits, 00 to 3f")
        end
    end

    for _, defined in ipairs(order) do
        if not defined.is_first then
            fail("duplicate type `" .. defined.name .. "`", defined.start)
        elseif WORDS[defined.name] or RESERVED[defined.name] then
            fail("`" .. defined.name .. "` is a reserved word and cannot be the name of a type", defined.start)
        end
        local found = defined.kind
        for _ = 0, #order do
            found = found and found.what == "named" and types[found.name] or found
        end
        if found.what == "named" and types[found.name] then
            fail("type `" .. defined.name .. "` is defined only as itself", defined.start)
        end
    end
    local function check(found)
        if found.what == "named" and not types[found.name] then
            fail("there is no type `" .. found.name .. "`", found.start)
        end
        for _, inside in ipairs(found.items or { found.item }) do
            check(inside)
        end
        local names = {}
        found.by_key = found.fields and {}
        for _, inside in ipairs(found.fields or {}) do
            if inside.kind.what == "unit" and found.what ~= "one of" then
                fail("`" .. inside.name .. "` has no type: only a variant of `one of` can omit it", inside.start)
            elseif found.by_key[inside.key] then
                local first = found.by_key[inside.key].name
                fail(string.format("duplicate key %02x: used by `%s`", inside.key, first), inside.start)
            elseif names[inside.name] then
                fail("duplicate name `" .. inside.name .. "`", inside.start)
            end
            found.by_key[inside.key], names[inside.name] = inside, true
            check(inside.kind)
        end
    end
    check(top)
    for _, defined in ipairs(order) do
        check(defined.kind)
    end
    return { top = top, types = types }
end

-- Returns the content of a preference's names file, or its error. The file is read again only after preferences change.
local files = {}
local function names_file(path)
    if path == "" then
        return {}
    elseif not files[path] then
        local file, message = io.open(path, "rb")
        local content = nil
        if file then
            content, message = file:read(MAX_FILE)
            -- At the end of the file, `read` returns neither a text nor a message.
            content = content or not message and "" or nil
            file:close()
        end
        local ok, found = false, { message = message }
        if content then
            ok, found = pcall(parse_names, content)
        end
        files[path] = ok and found or { wrong = found.at and string.format("error at %d: %s", found.at, found.message)
            or found.message or tostring(found) }
    end
    return files[path]
end

-- Returns the type of a packet in `level` by the names file, and its name with the names of the nodes around it.
local function named(frame, level, tag)
    local around = level.kind
    if not around then
        return nil
    end
    level.count = (level.count or 0) + 1
    local found, label = nil, nil
    if around.by_key then
        local field = around.by_key[tag % 64]
        found, label = field and field.kind, field and (level.label and level.label .. "." or "") .. field.name
    elseif around.what == "map" then
        found, label = around.item, string.format("%s.0x%02x", level.label, tag % 64)
    else
        found, label = around.item or around.items[level.count], level.label .. "[]"
    end
    -- The loop ends, since the parser refuses a type that is defined only as itself.
    while found and found.what == "named" do
        found = frame.names.types[found.name]
    end
    return found, found and label
end

local NODES = { node = "a node", packets = "packets", slice = "a slice", tuple = "a slice", map = "a map", unit = "nothing" }

-- Returns a type as a short text.
local function short(kind)
    if kind.what == "value" then
        return (kind.pvar and "pvar " or "") .. kind.word
    end
    return NODES[kind.what] or kind.what
end

-- True if a packet with this tag can have the type.
local function has_tag(kind, tag)
    local what = kind.what
    if tag < 128 then
        return what == "value" or what == "packets" or what == "one of"
    elseif tag < 192 then
        return what == "node" or what == "map" or what == "one of"
    end
    return what == "slice" or what == "tuple"
end

-- Returns the field that shows an integer of the type, its value and its text, or nothing if the bytes are not such an integer.
local function typed_integer(word, pvar, bytes, from, to)
    local bits, has_sign = INTEGERS[word][1], INTEGERS[word][2]
    local size, most = to - from, bits > 32 and (pvar and 10 or 8) or (pvar and 5 or 4)
    if size < 1 or size > most or pvar and not is_pvar(bytes, from, to) then
        return nil
    end
    local number, low, high = integer(bytes, from, to, pvar and 128 or 256)
    if not number then
        return nil
    end
    if bits < 64 then
        -- The result is exact, since it is below 2^53.
        local wide = high * 4294967296 + low
        wide = high >= 2147483648 and low - 4294967296 * (4294967296 - high) or wide
        if wide < -2147483648 or wide > 2147483647 then
            return nil
        elseif bits == 32 then
            low, high = wide % 4294967296, 0
        elseif has_sign and (wide < -2 ^ (bits - 1) or wide >= 2 ^ (bits - 1)) or not has_sign and (wide < 0 or wide >= 2 ^ bits) then
            return nil
        end
    end
    if has_sign then
        return pvar and f.pvar or f.nvar, number, tostring(number)
    end
    number = UInt64.new(low, high)
    return f.unsigned, number, tostring(number)
end

-- Does the same as `typed_integer` for a primitive of any type.
local function typed(kind, bytes, from, to)
    local size, word = to - from, kind.word
    if kind.what == "one of" then
        local _, number, shown = typed_integer("u32", false, bytes, from, to)
        local variant = number and number:higher() == 0 and kind.by_key[number:lower()]
        shown = variant and variant.kind.what == "unit" and variant.name or shown
        return number and f.variant, shown, shown
    elseif word == "text" then
        local shown = text(bytes, from, to)
        return shown and f.text, shown, shown
    elseif word == "bool" then
        local _, low, high = nil, 0, 0
        if size > 0 and (size > 5 or not is_pvar(bytes, from, to)) then
            return nil
        elseif size > 0 then
            _, low, high = integer(bytes, from, to, 128)
        end
        if low > 1 or high ~= 0 then
            return nil
        end
        return f.bool, low == 1, tostring(low == 1)
    elseif word == "f32" or word == "f64" then
        local is_wide = word == "f64"
        if size < 1 or size > (is_wide and 8 or 4) then
            return nil
        end
        local number = float(bytes, from, to, is_wide and 8 or 4, is_wide and 11 or 8)
        return is_wide and f.f64 or f.f32, number, string.format(is_wide and "%.15g" or "%.7g", number)
    end
    return typed_integer(word, kind.pvar, bytes, from, to)
end

-- Shows a value whose type the names file declares. Returns true if the value fits the type.
local function add_value(tree, kind, label, bytes, range, from, to)
    local field, value, shown = typed(kind, bytes, from, to)
    if not field then
        tree:add_proto_expert_info(note_marks.NotAsNamed, "The names file says " .. short(kind))
        return false
    end
    tree:append_text(" = " .. shown)
    tree:add(field, range, value):set_text(label:match("[^.]*$") .. ": " .. shown):set_generated()
    return true
end

-- --------------------------------------------------------------------------------------------------- preferences: paths

-- Returns a path in the form that the tree shows, with keys of two digits, or nil if the text is not a path.
local function normal_path(path)
    local parts = {}
    for key, separator in (path .. "/"):gmatch("(%w*)([/:])") do
        local digits = key:gsub("^0[xX]", "")
        local number = #digits <= 2 and tonumber(digits, 16)
        if not number or number > 63 then
            return nil
        end
        parts[#parts + 1] = string.format("%02x", number) .. separator
    end
    local normal = table.concat(parts):sub(1, -2)
    return path:find("[^%w/:]") == nil and #parts > 0 and normal or nil
end

-- Returns the paths of a preference as a set, true if all payloads are opened, and the first word that is not a path.
local function payload_paths(preference)
    local set, all, bad = {}, false, nil
    for word in preference:gmatch("[^%s,;]+") do
        local path = normal_path(word)
        if word == "*" then
            all = true
        elseif path then
            set[path] = true
        else
            bad = bad or word
        end
    end
    return set, all, bad
end

-- ------------------------------------------------------------------------------------------------------------- the tree

local function add_fault(tree, range, kind, at)
    tree:append_text(" [" .. kind .. "]")
    tree:add(f.fault, range, kind):set_generated()
    tree:add(f.offset, range, at):set_generated()
    tree:add_proto_expert_info(fault_marks[kind])
end

-- Shows YoMo's name of a packet, and its value if the type is known.
local function add_yomo(tree, bytes, range, frame, key, from, to)
    local name = frame[2][key]
    if not name then
        return
    end
    tree:append_text(" (" .. name .. ")")
    tree:add(g.field, range, name):set_generated()
    local size = to - from
    if name == "tag" and size >= 1 and size <= 4 then
        local number = 0
        for at = from, to - 1 do
            number = number * 256 + bytes:byte(at + 1)
        end
        local extends = bytes:byte(from + 1) >= 128
        tree:add(g.tag, range, extends and 4294967296 - 256 ^ size + number or number)
    elseif name == "client type" and size == 1 then
        tree:add(g.client, range)
    elseif name == "observed tags" then
        for i = 0, math.min(math.floor(size / 4), 64) - 1 do
            tree:add_le(g.observed, range:range(4 * i, 4))
        end
    end
end

-- Shows the line of a packet and the fields of its header. `to` is where the available bytes of the packet end.
local function add_packet(frame, level, at, to, tag, length, size, label)
    local bytes, tvb = frame.bytes, frame.tvb
    local tree = level.tree:add(f.packet, tvb(at, to - at))
    local path = nil
    if tag then
        local kind = tag < 128 and "Primitive" or tag < 192 and "Node" or "Slice"
        local line = string.format("%s %02x%s", kind, tag % 64, label and " " .. label:match("[^.]*$") or "")
        if length then
            line = string.format("%s, %d byte%s", line, length, length == 1 and "" or "s")
        end
        path = string.format("%s%02x", level.prefix, tag % 64)
        tree:set_text(line)
        tree:add(f.path, tvb(at, 1), path):set_generated()
        if label then
            tree:add(f.name, tvb(at, 1), label):set_generated()
        end
        local bits = tree:add(f.tag, tvb(at, 1))
        bits:add(f.node, tvb(at, 1))
        bits:add(f.slice, tvb(at, 1))
        bits:add(f.key, tvb(at, 1))
        if tag >= 64 and tag < 128 then
            tree:add_proto_expert_info(note_marks.Flagged)
        end
        if length then
            tree:add(f.length, tvb(at + 1, size), length)
            if size > length_size(length) then
                tree:add_proto_expert_info(note_marks.Padded)
            end
        end
    else
        tree:set_text("Packet")
    end
    return tree, path
end

-- Shows the packets of `frame` in wire order, with a stack of the nodes and payloads around them. After a fault, the rest of the
-- top-level packet (of the payload or of the frame) is not read.
local function show(frame, root, to)
    local bytes, tvb = frame.bytes, frame.tvb
    local left, faults = frame.proto.prefs.max_packets, 0
    -- An input has no `parent`; a node has the input's `outermost` packet around it.
    local stack = { { at = 0, input = to, tree = root, prefix = "", nodes = 0, payloads = 0, kind = frame.names.top } }
    while #stack > 0 do
        local level = stack[#stack]
        local at, input, parent = level.at, level.input, level.parent
        local stop = parent and math.min(parent, input) or input
        if at >= stop then
            stack[#stack] = nil
        elseif left == 0 then
            root:add_proto_expert_info(limit_marks.TooMany)
            break
        else
            left = left - 1
            local outermost = level.outermost or at
            local kind, kind_at, tag, length, size, finish = read_packet(bytes, at, parent, input, outermost)
            local shown_to = math.min(finish or stop, stop)
            local named_kind, label = nil, nil
            if tag then
                named_kind, label = named(frame, level, tag)
            end
            local tree, path = add_packet(frame, level, at, shown_to, tag, length, size, label)
            local range = tvb(at, shown_to - at)
            if named_kind and not has_tag(named_kind, tag) then
                tree:add_proto_expert_info(note_marks.NotAsNamed, "The names file says " .. short(named_kind))
                named_kind = nil
            end
            local is_cut = kind == "UnexpectedEnd"
            if is_cut and parent then
                -- The fault is reported at the top-level packet.
                kind = nil
            elseif is_cut and frame.cut and #stack == 1 and (not finish or finish <= frame.reported or frame.cut == "Unassembled") then
                tree:add_proto_expert_info(limit_marks[frame.cut])
                kind = nil
            elseif not kind and tag >= 128 and level.nodes == MAX_DEPTH then
                kind, kind_at = "DepthLimit", at
            end
            if kind then
                faults = faults + 1
                add_fault(tree, range, kind, kind_at)
            end
            level.at = shown_to
            local ours = frame.proto == yomo and level.payloads == 0
            if ours and not parent and FRAMES[tag or 0] then
                level.frame = FRAMES[tag]
                tree:append_text(" (" .. level.frame[1] .. ")")
                tree:add(g.frame, range, level.frame[1]):set_generated()
            elseif not parent then
                level.frame = nil
            end
            if (kind and kind ~= "UnexpectedEnd") or not finish then
                -- Continue after the top-level packet, if its own header is not faulty.
                while stack[#stack].parent do
                    stack[#stack] = nil
                end
                if not parent then
                    level.at = input
                end
            elseif tag >= 128 then
                if #stack >= MAX_LEVELS then
                    tree:add_proto_expert_info(limit_marks.TooDeep)
                else
                    stack[#stack + 1] = { at = at + 1 + size, input = input, parent = finish, outermost = outermost, tree = tree,
                        prefix = path .. "/", nodes = level.nodes + 1, payloads = level.payloads, frame = level.frame,
                        kind = named_kind, label = label }
                end
            else
                local from = math.min(at + 1 + size, shown_to)
                local value = tvb(from, shown_to - from)
                tree:append_text(shown_to > from and ": " .. hex(bytes, from, shown_to) or "")
                tree:add(f.value, value)
                if ours and level.nodes == 1 and level.frame then
                    add_yomo(tree, bytes, value, level.frame, tag % 64, from, shown_to)
                end
                local is_packet = named_kind and named_kind.what == "packets"
                local is_known = is_packet or named_kind and named_kind.word == "bytes"
                if not is_known and not is_cut then
                    local is_shown = named_kind and add_value(tree, named_kind, label, bytes, value, from, shown_to)
                    if not is_shown then
                        add_guesses(tree, bytes, value, from, shown_to)
                    end
                end
                local opens = is_packet or frame.paths[path] or (not named_kind and frame.all and is_packets(bytes, from, shown_to, frame))
                if opens and level.payloads < MAX_PAYLOADS and #stack < MAX_LEVELS then
                    tree:append_text(", opened")
                    stack[#stack + 1] = { at = from, input = shown_to, tree = tree, prefix = path .. ":", nodes = 0,
                        payloads = level.payloads + 1, kind = is_packet and named_kind or nil, label = label }
                end
            end
        end
    end
    return faults
end

-- Returns where the last whole packet of a segment ends, and how many bytes the next packet lacks, or 0 if this is unknown or above `most`.
local function whole(bytes, most)
    local at, len = 0, #bytes
    while at < len do
        local kind, _, _, length, size, finish = read_packet(bytes, at, nil, len, at)
        if kind == "UnexpectedEnd" then
            if not finish then
                -- Not DESEGMENT_ONE_MORE_SEGMENT: with this value, Wireshark 4.0 passes the wrong bytes of a QUIC stream.
                return at, 1
            end
            return at, finish - at <= most and finish - len or 0
        elseif kind then
            return len, 0
        end
        at = finish
    end
    return len, 0
end

-- Returns the top-level packets as text for the info column.
local function names(frame, to)
    local at, shown = 0, {}
    while at < to do
        local kind, _, tag, length, _, finish = read_packet(frame.bytes, at, nil, to, at)
        if #shown == MAX_NAMES then
            shown[#shown + 1] = "..."
            break
        elseif not length then
            break
        end
        local field = frame.names.top and frame.names.top.by_key[tag % 64]
        local name = frame.proto == yomo and FRAMES[tag] and FRAMES[tag][1] or field and field.name
        local what = tag < 128 and "primitive" or tag < 192 and "node" or "slice"
        shown[#shown + 1] = string.format("%s (%d)", name or string.format("%s %02x", what, tag % 64), length)
        if kind then
            break
        end
        at = finish
    end
    return table.concat(shown, ", ")
end

local PORT_TCP = 2

local function dissect(proto, tvb, pinfo, tree)
    local len = tvb:len()
    if len == 0 then
        return 0
    end
    local bytes = tvb:raw()
    local is_stream = pinfo.can_desegment > 0
    local to, lacks, too_large = len, 0, false
    if is_stream then
        local prefs = proto.prefs
        to, lacks = whole(bytes, prefs.max_reassembled)
        too_large = to < len and lacks == 0
        if lacks ~= 0 then
            pinfo.desegment_offset = to
            pinfo.desegment_len = lacks
        else
            to = len
        end
    end
    if to == 0 then
        return len
    end
    local paths, all, bad = payload_paths(proto.prefs.payloads)
    local file = names_file(proto.prefs.names)
    local frame = { proto = proto, tvb = tvb, bytes = bytes, reported = tvb:reported_len(), paths = paths, all = all, steps = 100000,
        names = file }
    if too_large then
        frame.cut, frame.reported = "TooLarge", math.huge
    elseif len < tvb:reported_len() then
        frame.cut = "Uncaptured"
    elseif not is_stream and pinfo.port_type == PORT_TCP then
        frame.cut = "Unassembled"
    end
    pinfo.cols.protocol = proto.description
    local root = tree:add(proto, tvb(0, to))
    if bad then
        root:add_proto_expert_info(note_marks.BadPreference, "Not a path: " .. (text(bad, 0, #bad) or "not UTF-8"))
    end
    if file.wrong then
        root:add_proto_expert_info(note_marks.BadPreference, "Names file: " .. (text(file.wrong, 0, #file.wrong) or "not UTF-8"))
    end
    local faults = show(frame, root, to)
    pinfo.cols.info = names(frame, to) .. (faults > 0 and " [fault]" or "")
    return len
end

-- ---------------------------------------------------------------------------------------------------------- where it runs

for _, proto in ipairs({ y3, yomo }) do
    function proto.dissector(tvb, pinfo, tree)
        return dissect(proto, tvb, pinfo, tree)
    end

    local registered = { tcp = "", udp = "" }
    function proto.prefs_changed()
        files = {}
        for transport, ports in pairs(registered) do
            local wanted = proto.prefs[transport .. "_ports"]
            local port_table = DissectorTable.get(transport .. ".port")
            if ports ~= wanted then
                if ports ~= "" then
                    port_table:remove(ports, proto)
                end
                if wanted ~= "" then
                    port_table:add(wanted, proto)
                end
                registered[transport] = wanted
            end
        end
    end

    for transport in pairs(registered) do
        DissectorTable.get(transport .. ".port"):add_for_decode_as(proto)
    end
end

-- YoMo runs on QUIC. With the keys of a session (`tls.keylog_file`), Wireshark decrypts its streams and selects the dissector by ALPN.
local quic = DissectorTable.get("quic.proto")
if quic then
    quic:add("yomo", yomo)
end
