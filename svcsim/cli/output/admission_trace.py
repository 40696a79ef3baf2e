"""The way of a request through admission, as people read it: a line for each who was asked, and below it what came of it."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from svcsim.meta.types import Json, Object
from svcsim.printing.harmless import one_line
from svcsim.printing.values import compact_json

_MOST_CHARS = 120
"""The longest form of a value that was set; `-o json` shows all of it."""
_LEAST_CHARS = 10
"""Its shortest form, however narrow the terminal is."""
_SIGNS = {"add": "+", "remove": "-", "replace": "~"}
_COLOURS = {"refused": "\x1b[31m", "failed": "\x1b[31m", "warned": "\x1b[33m", "changed": "\x1b[32m", "not asked": "\x1b[2m"}
_PLAIN = "\x1b[0m"
_HIDDEN = "***"
_SECRET_FIELDS = ("/data", "/stringData")


class Style(NamedTuple):
    """How it is to look."""

    coloured: bool = False
    secret: bool = False
    """Whether the object is one whose values nobody should read over a shoulder."""
    columns: int = 0
    """How wide the terminal is, where it is known: values that were put in are cut to end there."""


def lines(trace: Object, style: Style) -> Iterator[str]:
    """The lines that tell a trace as the server has it."""
    rows = list(_rows(trace["steps"], 1, style))
    width = max((len(row.name) for row in rows), default=0)
    phase = ""
    for row in rows:
        if row.phase != phase:
            phase = row.phase
            yield f"  {phase}:"
        colour, plain = (_COLOURS.get(row.result, ""), _PLAIN) if style.coloured and row.result in _COLOURS else ("", "")
        yield f"{row.name:{width}}  {colour}{row.result:11}{plain} {row.time:>8}".rstrip()
        yield from row.details
    if not rows:
        yield "  nobody in admission was asked" if "refusal" in trace else "  no admission plugin looks at this"
    if later := dict.fromkeys(one["name"] for one in trace.get("notAsked") or ()):
        yield f"  not asked any more: {', '.join(later)}"


class _Row(NamedTuple):
    phase: str
    name: str
    result: str
    time: str
    details: tuple[str, ...]


def _rows(steps: Iterable[Object], depth: int, style: Style) -> Iterator[_Row]:
    for step in steps:
        indent = "  " * (depth + 1)
        phase = f"{step['phase']}, once more" if step["round"] else step["phase"]
        name = step["name"] if step["type"] == "plugin" else f"{step['type']} {step['name']}"
        inner = step.get("steps") or ()
        time = "" if step["result"] == "not asked" else _time(step["seconds"])
        yield _Row(phase, indent + one_line(name), step["result"], time, tuple(_details(step, indent + "  ", style)))
        yield from _rows(inner, depth + 1, style)


def _details(step: Object, indent: str, style: Style) -> Iterator[str]:
    """What came of it; of a plugin that asked others, those tell it."""
    inner = step.get("steps") or ()
    if not any("changes" in one for one in inner):
        for change in step.get("changes") or ():
            yield indent + one_line(_change(change, style, style.columns - len(indent)))
        if step["result"] == "changed" and not step.get("changes"):
            yield f"{indent}(too much to be told)"
    told = [warning for one in inner for warning in one.get("warnings") or ()]
    for warning in step.get("warnings") or ():
        if warning not in told:
            yield f"{indent}warning: {one_line(warning)}"
    if "refusal" in step and not any("refusal" in one for one in inner):
        yield f"{indent}{one_line(step['refusal'].get('message') or '')}"
    if "why" in step:
        yield f"{indent}{one_line(step['why'])}"


def _change(change: Object, style: Style, room: int) -> str:
    path = change["path"]
    sign = _SIGNS.get(change["op"], change["op"])
    if change["op"] == "remove":
        return f"{sign} {path}"
    value = _hidden(path, change["value"]) if style.secret else change["value"]
    told, text = f"{sign} {path}: ", compact_json(value)
    most = _MOST_CHARS if not style.columns else max(_LEAST_CHARS, min(_MOST_CHARS, room - len(told)))
    return told + (text if len(text) <= most else text[: most - 1] + "…")


def _hidden(path: str, value: Json) -> Json:
    """A value without what a Secret keeps."""
    if any(path == field and isinstance(value, dict) for field in _SECRET_FIELDS):
        return dict.fromkeys(value, _HIDDEN)
    return _HIDDEN if path.startswith(_SECRET_FIELDS) else value


def _time(seconds: float) -> str:
    if seconds < 1e-3:
        return f"{seconds * 1e6:.0f}µs"
    return f"{seconds * 1e3:.1f}ms" if seconds < 1 else f"{seconds:.2f}s"
