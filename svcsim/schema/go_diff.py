"""What differs between two objects, in the form in which clients of Kubernetes are told of it: Go values, old and new line under line.

What is the same is counted and not shown. Go's types say more than a schema does (what is a pointer, what stands in which struct), so
that this looks like theirs and isn't the same to the letter.
"""

import json
from collections.abc import Iterator

from svcsim.meta.types import Json, Object
from svcsim.schema.decode import flat_fields
from svcsim.schema.types import Bool, Field, List, Str, Struct, Type

_CAPITALS = (
    *("api", "aws", "csi", "dns", "fc", "fs", "gce", "gmsa", "grpc", "http", "ip", "iqn", "iscsi", "nfs", "os", "pd", "rbd", "se", "tcp"),
    *("ttl", "tty", "uid", "url"),
)
"""First syllables of fields that Go writes in capitals, where another word follows or none."""
_SPELLED = {"cephfs": "CephFS", "pdID": "PdID", "storageos": "StorageOS", "wwids": "WWIDs"}
"""Names that follow no rule."""


def go_diff(struct: Struct, old: Object, new: Object) -> str:
    """All that differs in two values of a struct, in lines that begin with a minus, a plus or neither."""
    lines = [_line(" ", 0, f"core.{struct.name}{{"), *_fields(struct, old, new, 1), _line(" ", 0, "}")]
    return "".join(f"{line}\n" for line in lines)


def _line(sign: str, level: int, text: str) -> str:
    return f"{sign} " + "\t" * level + text


def _identical(count: int, what: str, level: int) -> Iterator[str]:
    if count:
        yield _line(" ", level, f"... // {count} identical {what}{'s' if count > 1 else ''}")


def _fields(struct: Struct, old: Object, new: Object, level: int) -> Iterator[str]:
    same = 0
    for field in flat_fields(struct):
        before, after = old.get(field.name), new.get(field.name)
        if before == after:
            same += 1
            continue
        yield from _identical(same, "field", level)
        same = 0
        yield from _field(field, before, after, level)
    yield from _identical(same, "field", level)


def _field(field: Field, before: Json, after: Json, level: int) -> Iterator[str]:
    label, declared = f"{_go_name(field.name)}: ", field.type
    if isinstance(declared, Struct) and isinstance(before, dict) and isinstance(after, dict):
        yield _line(" ", level, f"{label}&core.{declared.name}{{")
        yield from _fields(declared, before, after, level + 1)
        yield _line(" ", level, "},")
    elif isinstance(declared, List) and isinstance(declared.item, Struct) and isinstance(before, list) and isinstance(after, list):
        yield _line(" ", level, f"{label}[]core.{declared.item.name}{{")
        yield from _items(declared.item, before, after, level + 1)
        yield _line(" ", level, "},")
    else:
        yield _line("-", level, f"{label}{_value(declared, before)},")
        yield _line("+", level, f"{label}{_value(declared, after)},")


def _items(struct: Struct, before: list[Object], after: list[Object], level: int) -> Iterator[str]:
    same = 0
    for old, new in zip(before, after, strict=False):
        if old == new:
            same += 1
            continue
        yield from _identical(same, "element", level)
        same = 0
        yield _line(" ", level, "{")
        yield from _fields(struct, old, new, level + 1)
        yield _line(" ", level, "},")
    yield from _identical(same, "element", level)
    for sign, rest in (("-", before[len(after) :]), ("+", after[len(before) :])):
        yield from (_line(sign, level, f"{_value(struct, item)},") for item in rest)


def _value(declared: Type, value: Json) -> str:
    """A value on one line; nothing is what a Go value of that type begins with."""
    if value is None:
        return '""' if isinstance(declared, Str) else "false" if isinstance(declared, Bool) else "nil"
    if isinstance(value, dict):
        known = {field.name: field.type for field in flat_fields(declared)} if isinstance(declared, Struct) else None
        if known is not None:
            return f"{{{', '.join(f'{_go_name(name)}: {_value(known[name], value[name])}' for name in known if name in value)}}}"
        return f"{{{', '.join(f'{json.dumps(name)}: {json.dumps(part)}' for name, part in sorted(value.items()))}}}"
    if isinstance(value, list):
        item = declared.item if isinstance(declared, List) else declared
        return f"{{{', '.join(_value(item, part) for part in value)}}}"
    return json.dumps(value, ensure_ascii=False)


def _go_name(name: str) -> str:
    if name in _SPELLED:
        return _SPELLED[name]
    first = next((start for start in _CAPITALS if name.startswith(start) and not name[len(start) : len(start) + 1].islower()), "")
    return first.upper() + name[len(first) :] if first else name[:1].upper() + name[1:]
