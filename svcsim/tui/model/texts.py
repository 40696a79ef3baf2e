"""Objects as text: their YAML, and a short description with what happened to them; and how such lines are inked."""

import re
from collections.abc import Sequence

from svcsim.meta.codec import encode_yaml
from svcsim.meta.events import in_order, last_seen
from svcsim.meta.objects import labels_of, metadata_of, owner_references
from svcsim.meta.times import human_duration, parse_time
from svcsim.meta.types import Json, Object
from svcsim.tui.model.ink import Ink, Span, Spans, printable
from svcsim.tui.model.tones import state_ink

_YAML_LINE = re.compile(r"(\s*(?:- )*)([^\s:#'\"][^:]*|\"[^\"]*\"|'[^']*'):(\s.*|$)")
_HIDDEN_METADATA = ("managedFields",)
_DESCRIBED = ("name", "namespace", "labels", "annotations", "ownerReferences", "creationTimestamp", "managedFields")
"""Metadata that a description tells in its own words, or not at all."""
_LABEL_WIDTH = 14


def yaml_lines(obj: Object, *, managed_fields: bool = False) -> list[str]:
    """An object as YAML, with or without who owns which field."""
    if not managed_fields:
        kept = {name: value for name, value in metadata_of(obj).items() if name not in _HIDDEN_METADATA}
        obj = {**obj, "metadata": kept}
    return _as_yaml(obj)


def describe_lines(obj: Object, events: Sequence[Object], now: float) -> list[str]:
    """What there is to say of an object: who it is, its parts, and what happened to it."""
    meta = metadata_of(obj)
    lines = [
        _labelled("Name", meta.get("name", "")),
        *([_labelled("Namespace", meta["namespace"])] if meta.get("namespace") else []),
        _labelled("Kind", f"{obj.get('kind', '')} ({obj.get('apiVersion', '')})"),
        _labelled("Age", _age(meta.get("creationTimestamp"), now)),
        *_pairs("Labels", labels_of(obj)),
        *_pairs("Annotations", meta.get("annotations") or {}),
    ]
    for owner in owner_references(obj):
        role = "Controlled by" if owner.get("controller") else "Owned by"
        lines.append(_labelled(role, f"{owner.get('kind')}/{owner.get('name')}"))
    rest = {name: value for name, value in meta.items() if name not in _DESCRIBED and name not in ("uid", "resourceVersion", "generation")}
    sections = {"Metadata": rest, **{name[:1].upper() + name[1:]: part for name, part in obj.items() if name not in _ENVELOPE}}
    for title, part in sections.items():
        if part not in ({}, [], None, ""):
            lines += ["", title, *(f"  {line}" for line in _as_yaml(part))]
    return [*lines, "", *_events(events, now)]


_ENVELOPE = ("apiVersion", "kind", "metadata")


def yaml_spans(line: str) -> Spans:
    """A line of YAML with its keys and states inked."""
    match = _YAML_LINE.fullmatch(line)
    if match is None:
        return [Span(line, Ink.PLAIN)]
    indent, key, value = match.groups()
    return [Span(indent, Ink.FAINT), Span(key, Ink.KEY), Span(":", Ink.FAINT), Span(value, state_ink(value.strip().strip("\"'")))]


def describe_spans(line: str) -> Spans:
    """A line of a description: titles, labels and warnings are inked."""
    if line.startswith("  Warning"):
        return [Span(line, Ink.BUSY)]
    if line.startswith("  Normal"):
        return [Span(line, Ink.PLAIN)]
    if line.startswith(" "):
        return yaml_spans(line)
    label, colon, value = line.partition(":")
    return [Span(f"{label}{colon}", Ink.KEY), Span(value, Ink.PLAIN)] if colon else [Span(line, Ink.STRONG)]


def plain_spans(line: str) -> Spans:
    """A line as it is, as logs are shown."""
    return [Span(line, Ink.PLAIN)]


def _labelled(label: str, value: str) -> str:
    return f"{label + ':':<{_LABEL_WIDTH}} {printable(value)}".rstrip()


def _pairs(label: str, pairs: dict[str, str]) -> list[str]:
    if not pairs:
        return [_labelled(label, "<none>")]
    first, *others = (printable(f"{key}={value}") for key, value in sorted(pairs.items()))
    return [_labelled(label, first), *(f"{'':<{_LABEL_WIDTH}} {pair}" for pair in others)]


def _age(timestamp: str | None, now: float) -> str:
    return human_duration(max(now - parse_time(timestamp), 0.0)) if timestamp else "<unknown>"


def _as_yaml(value: Json) -> list[str]:
    return [printable(line) for line in encode_yaml(value).decode().rstrip("\n").split("\n")]


def _events(events: Sequence[Object], now: float) -> list[str]:
    if not events:
        return ["Events", "  <none>"]
    rows = [("Type", "Reason", "Age", "From", "Message")]
    for event in in_order(events):
        source = (event.get("source") or {}).get("component") or event.get("reportingComponent") or ""
        count = (event.get("series") or event).get("count") or 1
        age = _age(last_seen(event) or None, now) + (f" (x{count})" if count > 1 else "")
        message = " ".join((event.get("message") or "").split())
        rows.append((event.get("type") or "", event.get("reason") or "", age, source, printable(message)))
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    return [
        "Events",
        *("  " + "  ".join([*(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=False)), row[4]]) for row in rows),
    ]
