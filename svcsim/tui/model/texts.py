"""Objects as YAML, and how lines of YAML and of descriptions are inked."""

import re

from svcsim.meta.codec import encode_yaml
from svcsim.meta.objects import metadata_of
from svcsim.meta.types import Json, Object
from svcsim.tui.model.ink import Ink, Span, Spans, printable
from svcsim.tui.model.tones import state_ink

_YAML_LINE = re.compile(r"(\s*(?:- )*)([^\s:#'\"][^:]*|\"[^\"]*\"|'[^']*'):(\s.*|$)")
_LABELLED = re.compile(r"(\s*[^\s:][^:]{0,60}:)(\s.*|)")
_EVENT = re.compile(r"  (?:Normal|Warning)\s")
_HIDDEN_METADATA = ("managedFields",)


def yaml_lines(obj: Object, *, managed_fields: bool = False) -> list[str]:
    """An object as YAML, with or without who owns which field."""
    if not managed_fields:
        kept = {name: value for name, value in metadata_of(obj).items() if name not in _HIDDEN_METADATA}
        obj = {**obj, "metadata": kept}
    return _as_yaml(obj)


def yaml_spans(line: str) -> Spans:
    """A line of YAML with its keys and states inked."""
    match = _YAML_LINE.fullmatch(line)
    if match is None:
        return [Span(line, Ink.PLAIN)]
    indent, key, value = match.groups()
    return [Span(indent, Ink.FAINT), Span(key, Ink.KEY), Span(":", Ink.FAINT), Span(value, state_ink(value.strip().strip("\"'")))]


def describe_spans(line: str) -> Spans:
    """A line of a description: titles, labels, states and warnings are inked."""
    if _EVENT.match(line):
        return [Span(line, Ink.BUSY if line.startswith("  Warning") else Ink.PLAIN)]
    match = _LABELLED.fullmatch(line)
    if match is None:
        return [Span(line, Ink.PLAIN)]
    label, value = match.groups()
    return [Span(label, Ink.KEY), Span(value, state_ink(value.strip()))]


def plain_spans(line: str) -> Spans:
    """A line as it is, as logs are shown."""
    return [Span(line, Ink.PLAIN)]


def _as_yaml(value: Json) -> list[str]:
    return [printable(line) for line in encode_yaml(value).decode().rstrip("\n").split("\n")]
