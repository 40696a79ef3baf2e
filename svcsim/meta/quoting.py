"""Text of others within a sentence: quoted as Go does (``%q``), so that no terminal takes any of it for more than letters."""

from typing import Final

_ESCAPES: Final = {
    '"': '\\"',
    "\\": "\\\\",
    "\a": "\\a",
    "\b": "\\b",
    "\f": "\\f",
    "\n": "\\n",
    "\r": "\\r",
    "\t": "\\t",
    "\v": "\\v",
}
_SURROGATES = range(0xD800, 0xE000)


def quoted(text: str) -> str:
    """``text`` between double quotes, what can't be printed in it escaped."""
    if text.isprintable() and '"' not in text and "\\" not in text:
        return f'"{text}"'
    return '"' + "".join(map(_spelled, text)) + '"'


def _spelled(letter: str) -> str:
    code = ord(letter)
    if letter in _ESCAPES:
        return _ESCAPES[letter]
    if letter.isprintable():
        return letter
    if code < 0x80:
        return f"\\x{code:02x}"
    if code in _SURROGATES:
        return "\N{REPLACEMENT CHARACTER}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
