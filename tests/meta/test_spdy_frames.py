"""Frames of SPDY/3.1: what one side writes the other reads, and what is no frame ends it."""

import zlib

import pytest

from svcsim import limits
from svcsim.meta.spdy_frames import (
    DICTIONARY,
    FIN,
    PING,
    RST_STREAM,
    SYN_REPLY,
    SYN_STREAM,
    BrokenSpdyError,
    SpdyReader,
    SpdyWriter,
    data_frame,
    ping_frame,
    reset_frame,
)


def test_the_dictionary_is_the_drafts():
    assert (len(DICTIONARY), zlib.adler32(DICTIONARY)) == (1423, 0xE3C6A7C2)


def test_what_is_written_is_read_byte_by_byte():
    writer, reader = SpdyWriter(), SpdyReader()
    sent = writer.open(1, {"streamtype": "data", "port": "80"}) + writer.open(3, {"streamtype": "error", "port": "80"})
    sent += data_frame(1, b"hello") + data_frame(1, b"", last=True) + reset_frame(3, 5) + ping_frame(b"\0\0\0\1") + writer.reply(1)
    frames = [frame for byte in sent for frame in reader.feed(bytes((byte,)))]
    assert [(frame.kind, frame.stream) for frame in frames[:5]] == [(SYN_STREAM, 1), (SYN_STREAM, 3), (0, 1), (0, 1), (RST_STREAM, 3)]
    assert [frame.headers for frame in frames[:2]] == [{"streamtype": kind, "port": "80"} for kind in ("data", "error")]
    assert (frames[2].body, frames[2].flags, frames[3].flags) == (b"hello", 0, FIN)
    assert [frame.kind for frame in frames[5:]] == [PING, SYN_REPLY]


@pytest.mark.parametrize(
    "sent",
    [
        b"\x80\x02\x00\x01\x00\x00\x00\x00",
        b"\x80\x03\x00\x01\x00\x00\x00\x0e" + bytes(10) + b"junk",
        b"\x00\x00\x00\x01\x00" + (limits.STREAM_FRAME_BYTES + 1).to_bytes(3, "big"),
        SpdyWriter().open(1, {"streamtype": "x" * (limits.STREAM_HEADERS_BYTES + 1)}),
        SpdyWriter().open(1, {f"h{number}": "" for number in range(limits.STREAM_HEADERS + 1)}),
    ],
)
def test_what_is_no_frame_or_too_long_ends_it(sent: bytes):
    with pytest.raises(BrokenSpdyError):
        SpdyReader().feed(sent)
