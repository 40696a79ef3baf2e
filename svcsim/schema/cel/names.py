"""Names of fields in rules: what is no identifier in CEL, or a word of its own, is spelled in another way."""

import re

_WORDS = frozenset(
    (
        *("true", "false", "null", "in", "as", "break", "const", "continue", "else", "for", "function", "if", "import", "let", "loop"),
        *("package", "namespace", "return", "var", "void", "while"),
    )
)
_SPELLED = {"__": "__underscores__", ".": "__dot__", "-": "__dash__", "/": "__slash__"}
_SPECIAL = re.compile(r"__|[.\-/]")
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)


def escaped(name: str) -> str | None:
    """A field's name as rules spell it; None for one that can't be spelled."""
    if name in _WORDS:
        return f"__{name}__"
    spelled = _SPECIAL.sub(lambda match: _SPELLED[match.group()], name)
    return spelled if _IDENTIFIER.fullmatch(spelled) else None
