"""Expressions as they are written: what can be told of one before it is compiled, or without."""

import re

from svcsim import limits

_STRINGS = re.compile(r"""r?'''(?:.|\n)*?'''|r?\"\"\"(?:.|\n)*?\"\"\"|r'[^']*'|r"[^"]*"|'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*\"""")
_MACRO = re.compile(r"\.(?:all|exists|exists_one|map|filter)\s*\(")
_PART = re.compile(r"\w+|[^\w\s]")


def too_long_to_compile(text: str) -> str:
    """Why nobody compiles an expression, which takes one turn that grows with its words and marks; empty for one that is no trouble."""
    if len(text) <= limits.CEL_PARTS:
        return ""
    parts = len(_PART.findall(without_strings(text)))
    if parts <= limits.CEL_PARTS:
        return ""
    return f"expression has {parts} words and marks, more than {limits.CEL_PARTS}: split it into several, or shorten its lists"


def without_strings(text: str) -> str:
    """An expression in which texts are blanks, of the same length."""
    return _STRINGS.sub(lambda match: " " * len(match.group()), text)


def nesting(text: str) -> int:
    """How deep loops stand within loops in an expression."""
    plain, depth, deepest = without_strings(text), 0, 0
    opened: list[bool] = []
    loops = {match.end() - 1 for match in _MACRO.finditer(plain)}
    for index, char in enumerate(plain):
        if char == "(":
            opened.append(index in loops)
            depth += opened[-1]
            deepest = max(deepest, depth)
        elif char == ")" and opened:
            depth -= opened.pop()
    return deepest
