"""Objects that mutations construct: ``Object{spec: Object.spec{replicas: 1}}``, ``JSONPatch{op: "add", …}``.

Their types are made of the schema of whatever is changed, which the CEL library can't be told of. As maps they are written down like this:
``{'spec': {'replicas': 1}}``, and so they are compiled.
"""

import re
from collections.abc import Iterator

_TOKEN = re.compile(
    r"""(?P<text>[rRbB]{0,2}(?:'''.*?'''|\"\"\".*?\"\"\"|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"))"""
    r"""|(?P<type>(?<![\w.])(?:Object(?:\.\w+)*|JSONPatch)(?=\s*\{))|(?P<name>[A-Za-z_]\w*)|(?P<space>\s+)|(?P<other>.)""",
    re.DOTALL,
)
_OPENING, _CLOSING = "{[(", "}])"


def as_maps(text: str) -> str:
    """The expression with maps for what it constructs. Where types stood there are blanks, so that what follows stays in its place."""
    return "".join(_rewritten(text))


def _rewritten(text: str) -> Iterator[str]:
    constructing: list[bool] = []
    """Of each bracket that is open, whether it holds the fields of a type."""
    of_type = at_key = False
    for token in _TOKEN.finditer(text):
        kind, found = token.lastgroup, token[0]
        if kind == "type":
            of_type = True
            yield " " * len(found)
            continue
        if kind == "space":
            yield found
            continue
        yield f"'{found}'" if kind == "name" and at_key else found
        if found in _OPENING:
            constructing.append(of_type and found == "{")
            of_type = False
        elif found in _CLOSING and constructing:
            constructing.pop()
        at_key = bool(constructing) and constructing[-1] and found in ("{", ",", "?") and kind == "other" and (found != "?" or at_key)
