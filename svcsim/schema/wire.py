"""Protobuf's wire format: numbered fields, each a varint, a fixed number of bytes, or bytes with their length before them."""

from collections.abc import Iterator

from svcsim.meta.errors import bad_request

VARINT, FIXED64, LENGTH, FIXED32 = 0, 1, 2, 5
_SIZES = {FIXED64: 8, FIXED32: 4}
_MAX_VARINT_BYTES = 10
_CUT_OFF = "error decoding protobuf: unexpected EOF"

Payload = int | bytes
"""What a field holds: a number for a varint, bytes for all others."""


def varint(number: int) -> bytes:
    """A number in seven-bit groups, the lowest first; negative ones as 64-bit two's complement."""
    if 0 <= number < 0x80:
        return bytes((number,))
    number &= 0xFFFF_FFFF_FFFF_FFFF
    groups = bytearray()
    while number >= 0x80:
        groups.append(number & 0x7F | 0x80)
        number >>= 7
    groups.append(number)
    return bytes(groups)


def signed(number: int, bits: int) -> int:
    """The whole number of that many bits that a varint's lowest bits stand for."""
    number &= (1 << bits) - 1
    return number - (1 << bits) if number >> (bits - 1) else number


def tag(number: int, wire_type: int) -> bytes:
    """What stands before a field."""
    return varint(number << 3 | wire_type)


def sized(tag_bytes: bytes, body: bytes) -> bytes:
    """A whole field of bytes."""
    return tag_bytes + varint(len(body)) + body


def fields(data: bytes) -> Iterator[tuple[int, int, Payload]]:
    """Number, wire type and payload of each field of a message, as they stand. Raises 400 for bytes that are not a message."""
    position, end = 0, len(data)
    while position < end:
        key, position = read_varint(data, position)
        number, wire_type = key >> 3, key & 7
        if number == 0:
            raise bad_request("error decoding protobuf: illegal tag 0")
        if wire_type == VARINT:
            value, position = read_varint(data, position)
            yield number, wire_type, value
            continue
        size = _SIZES.get(wire_type)
        if wire_type == LENGTH:
            size, position = read_varint(data, position)
        if size is None:
            raise bad_request(f"error decoding protobuf: illegal wireType {wire_type}")
        if size > end - position:
            raise bad_request(_CUT_OFF)
        yield number, wire_type, data[position : position + size]
        position += size


def read_varint(data: bytes, position: int) -> tuple[int, int]:
    """The number at a position, and the position behind it."""
    if position < len(data) and (byte := data[position]) < 0x80:  # most tags and lengths
        return byte, position + 1
    number = shift = 0
    for byte in data[position : position + _MAX_VARINT_BYTES]:
        number |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return number, position + shift // 7
    raise bad_request(_CUT_OFF if position + shift // 7 >= len(data) else "error decoding protobuf: integer overflow")
