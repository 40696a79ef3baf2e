"""The reference of the format, for people: every map with its fields, what may stand in them and what they are for.

It is generated: ``python -m svcsim.scenario.reference`` prints what stands in ``docs/scenarios.md``, and a test tells when that file is
stale.
"""

import re
import sys
from collections.abc import Iterator

from svcsim.scenario.format import SCENARIO
from svcsim.scenario.shapes import (
    Anything,
    ApiObject,
    Cel,
    Either,
    Field,
    Flag,
    LabelValue,
    ListOf,
    ManifestPath,
    MapOf,
    Moment,
    Number,
    Rate,
    SettingOf,
    SettingsFile,
    Shape,
    Span,
    Struct,
    Text,
)

_HEAD = """# Scenarios

A scenario is a YAML file: a cluster, steps that do things to it and expect what comes of them, and an end. `svcsim replay FILE...` runs
scenarios and checks them: a directory stands for all that are in it, `-` for standard input, and `--check` runs nothing.
[scenarios/](../scenarios) holds some to begin with, and [scenario.schema.json](../scenarios/scenario.schema.json) lets editors complete and
check them. A string with `${…}` in it may stand anywhere a value does; `$${` stands for `${` itself. Objects that are created or patched
may have no field that their kind doesn't have.

A value is obeyed or refused before anything runs; empty texts, lists and maps are refused where they would say nothing. A fault that has
struck nothing when the scenario ends fails the run, as does a webhook of `webhooks` that has answered nothing, and a selector that selects
nothing to delete or to label; `missing: ignore` lets that pass.

With `--against` nothing in `cluster` is set up: what it asks for the running cluster must be, in its dialect, its admission plugins, its
authorization and its addresses, with as many nodes or more; a file that asks for something else is refused. So is one that would delete
what was there before: an object that it makes and deletes, or anything where it deletes `all`. Where that shows only while it runs, the
deletion fails: of what it tried to make and others had made, and, by a selector, of what it changed or what is older than the run and
selected together with what it made. What else it names is meant as it is there; what goes with its owner isn't looked at. The clock stays
in the hands of whoever runs the cluster: where it is paused, only `advance` moves it on, and a run that waits for it says how to let it go
on, until `timeouts.wall` is over.

This page is made from the format's description in the code (`svcsim/scenario/format.py`).

The exit status is 0 where all expectations held, 1 where one failed, 2 where a file is wrong (the others are run), 3 where the cluster
named with `--against` can't be reached or a report can't be written, 130 after Ctrl-C, 143 after SIGTERM and 129 where the terminal was
closed (SIGHUP). `--junit` and `--json` tell of all that was done, whatever ended it. What a run has broken in a cluster that is up, and its
answers in the place of webhooks, end with the run, even where it is killed. The `timestamp` of a suite in JUnit is the cluster's time when
the run began: on virtual time it is the same in every replay.
"""


def reference() -> str:
    """The whole page."""
    sections = [_section(struct) for struct in _structs(SCENARIO, {})]
    return "\n".join([_HEAD, *sections])


def _structs(shape: Shape, seen: dict[str, None]) -> Iterator[Struct]:
    """Every map with known fields, each once, outer ones first."""
    match shape:
        case Struct():
            if shape.what not in seen:
                seen[shape.what] = None
                yield shape
                for field in shape.fields:
                    yield from _structs(field.shape, seen)
        case ListOf(inner) | MapOf(inner):
            yield from _structs(inner, seen)
        case Either(scalar, other):
            yield from _structs(scalar, seen)
            yield from _structs(other, seen)
        case _:
            pass


def _section(struct: Struct) -> str:
    lines = [f"## {_title(struct)}", ""]
    for rule, names in (("Exactly one", struct.exactly_one), ("At least one", struct.at_least_one)):
        if names:
            lines += [f"{rule} of {', '.join(f'`{name}`' for name in names)}.", ""]
    lines += ["| field | value | what it is for |", "|---|---|---|", *(_row(field) for field in struct.fields), ""]
    return "\n".join(lines)


def _title(struct: Struct) -> str:
    words = re.sub(r"^(an?|the) ", "", struct.what)
    return words[:1].upper() + words[1:]


def _row(field: Field) -> str:
    required = ", required" if field.required else ""
    return f"| `{field.name}` | {_value(field.shape)}{required} | {_escaped(field.doc)} |"


def _value(shape: Shape) -> str:
    match shape:
        case Struct():
            title = _title(shape)
            return f"[{title}](#{re.sub(r'[^a-z0-9 -]', '', title.lower()).replace(' ', '-')})"
        case ListOf(item):
            return f"list of {_value(item)}"
        case MapOf(value):
            return f"map of {_value(value)}"
        case Either(scalar, other):
            return f"{_value(scalar)}, or {_value(other)}"
        case LabelValue() | SettingsFile():
            return _SCALARS[type(shape)]
        case Flag(only_true):
            return "true" if only_true else "true or false"
        case Text(choices):
            return " or ".join(f"`{choice}`" for choice in choices) or "text"
        case Number():
            return _number(shape)
        case SettingOf(setting):
            return f"as `up {setting.flag}` takes it"
        case _:
            return _SCALARS[type(shape)]


def _number(shape: Number) -> str:
    kind = "number" if shape.fraction else "whole number"
    least = "" if shape.minimum is None else f" {'above' if shape.above else 'from'} {shape.minimum:g}"
    return f"{kind}{least}" + ("" if shape.maximum is None else f" to {shape.maximum:g}")


_SCALARS: dict[type, str] = {
    LabelValue: "text or null",
    SettingsFile: "file, relative to the scenario",
    Span: "time such as `90s`",
    Moment: "moment such as `2026-01-01T00:00:00Z`",
    Rate: "rate such as `50/s`",
    Cel: "expression (CEL)",
    ManifestPath: "file of objects",
    Anything: "anything",
    ApiObject: "object",
}


def _escaped(text: str) -> str:
    return text.replace("|", "\\|")


if __name__ == "__main__":
    sys.stdout.write(reference())
