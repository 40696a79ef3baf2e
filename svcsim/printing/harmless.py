"""What others wrote, made fit to be printed on a terminal."""

import re

_steering = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]").search
_SHOWN = {code: f"^{chr(code ^ 0x40)}" for code in (*range(0x20), 0x7F) if chr(code) not in "\n\t"}
_SHOWN |= {code: f"\\x{code:02x}" for code in range(0x80, 0xA0)}
"""How the characters that steer terminals are shown."""
_ESCAPES = {"\n": r"\n", "\t": r"\t"}


def harmless(text: str) -> str:
    """The text without what could steer a terminal: it may quote the command line, a file, a server or an object."""
    return text.translate(_SHOWN) if not text.isprintable() and _steering(text) else text


def one_line(text: str) -> str:
    """Likewise, in one line that reads from left to right: line ends and whatever else can't be seen are escaped as well."""
    if text.isprintable():
        return text
    return "".join([char if char.isprintable() else _escaped(char) for char in harmless(text)])


def _escaped(char: str) -> str:
    return _ESCAPES.get(char) or (f"\\u{ord(char):04x}" if ord(char) <= 0xFFFF else f"\\U{ord(char):08x}")
