"""File modes: as arguments of `chmod`, octal or symbolic (``u+x,go-w``, ``a=rX``), and as `ls` writes them."""

import re

_OCTAL = re.compile(r"[0-7]{1,4}")
_CHANGE = re.compile(r"([ugoa]*)((?:[-+=](?:[ugo]|[rwxXst]*))+)")
_STEP = re.compile(r"([-+=])([ugo]|[rwxXst]*)")
_WHO = {"u": 0o4700, "g": 0o2070, "o": 0o1007}
_BITS = {"r": 0o444, "w": 0o222, "x": 0o111, "s": 0o6000, "t": 0o1000}
_SHIFTS = {"u": 6, "g": 3, "o": 0}
_ANY_EXECUTES = 0o111


def changed_mode(said: str, mode: int, *, is_directory: bool, umask: int) -> int | None:
    """The mode after a change, or None if the argument is invalid.

    A change that names no class applies to all of them, but for the bits of the umask.
    """
    if _OCTAL.fullmatch(said):
        return int(said, 8)
    for change in said.split(","):
        found = _CHANGE.fullmatch(change)
        if found is None:
            return None
        who = 0
        for letter in found[1].replace("a", "ugo") or "ugo":
            who |= _WHO[letter]
        for sign, what in _STEP.findall(found[2]):
            bits = _bits(what, mode, is_directory=is_directory) & (who if found[1] else ~umask)
            kept = mode & ~(who if sign == "=" else bits)
            mode = kept if sign == "-" else kept | bits
    return mode


def permissions(mode: int) -> str:
    """``rwxr-xr-x``."""
    return "".join(letter if mode >> (8 - index) & 1 else "-" for index, letter in enumerate("rwxrwxrwx"))


def _bits(what: str, mode: int, *, is_directory: bool) -> int:
    if what in _SHIFTS and what:
        return (mode >> _SHIFTS[what] & 0o7) * 0o111
    bits = 0
    for letter in what:
        if letter == "X":
            bits |= _ANY_EXECUTES if is_directory or mode & _ANY_EXECUTES else 0
        else:
            bits |= _BITS[letter]
    return bits
