"""What others wrote, made fit to be printed on a terminal."""

import re

_steering = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]").search
_SHOWN = {code: f"^{chr(code ^ 0x40)}" for code in (*range(0x20), 0x7F) if chr(code) not in "\n\t"}
_SHOWN |= {code: f"\\x{code:02x}" for code in range(0x80, 0xA0)}
"""How the characters that steer terminals are shown."""


def harmless(text: str) -> str:
    """The text without what could steer a terminal: it may quote the command line, a file, a server or an object."""
    return text.translate(_SHOWN) if not text.isprintable() and _steering(text) else text
