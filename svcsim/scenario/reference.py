"""The reference of the format: every map with its fields, their values and what they are for.

``python -m svcsim.scenario.reference`` prints the content of ``docs/scenarios.md``, and a test fails if that file is out of date.
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

A scenario is a YAML file: a cluster, steps that act on it and check the results, and an end. `svcsim replay FILE...` runs and checks
scenarios: a directory stands for all scenarios in it, `-` for standard input, and `--check` only checks the files.
[scenarios/](../scenarios) has some to begin with, and [scenario.schema.json](../scenarios/scenario.schema.json) lets editors complete and
check them. A string with `${…}` in it may be used for any value; `$${` stands for `${` itself. Objects that are created or patched may only
have fields that their kind has.

Invalid values are refused before anything runs, and so are empty texts, lists and maps that would have no meaning. A fault that has struck
nothing when the scenario ends fails the run, as does a webhook of `webhooks` that has answered nothing, and a selector that selects nothing
to delete or to label; `missing: ignore` allows that.

With `--against`, `cluster` isn't set up: the running cluster must have its dialect, its admission plugins, its authorization and its
addresses, and at least as many nodes; otherwise the file is refused. So is a file that would delete objects that existed before: an object
that it creates and deletes, or any object where it deletes `all`. If that shows only during the run, the deletion fails: of objects that it
tried to create and others had created, and, by a selector, of objects that it changed or that are older than the run and selected together
with its own. Other objects that it names are used as they are; objects that are deleted with their owner aren't checked. The clock stays
under the control of the cluster's user: if it is paused, only `advance` moves it, and a run that waits for it says how to let it go on,
until `timeouts.wall` is over.

This page is generated from the format's description in the code (`svcsim/scenario/format.py`).

The exit status is 0 if all expectations held, 1 if one failed, 2 if a file is invalid (the others are run), 3 if the cluster named with
`--against` can't be reached or a report can't be written, 130 after Ctrl-C, 143 after SIGTERM and 129 if the terminal was closed (SIGHUP).
`--junit` and `--json` report everything that was done, whatever ended it. Faults that a run has caused in a running cluster, and its
answers in the place of webhooks, end with the run, even if it is killed. The `timestamp` of a suite in JUnit is the cluster's time when the
run began: on virtual time it is the same in every replay.
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
