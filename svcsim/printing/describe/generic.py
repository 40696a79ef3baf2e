"""Kinds that have no describer of their own: every field, under a readable name."""

import re

from svcsim.meta.objects import metadata_of, name_of, namespace_of
from svcsim.meta.types import Json, Object
from svcsim.printing.describe.events import events_section
from svcsim.printing.describe.writer import DescribeContext, Writer, annotations, labels
from svcsim.printing.values import plain

_SHOWN_ABOVE = (".metadata.managedFields", ".metadata.name", ".metadata.namespace", ".metadata.labels", ".metadata.annotations")
_ACRONYMS = ("API", "URL", "UID", "OSB", "GUID")
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[A-Z]|-+")


def describe_generic(obj: Object, context: DescribeContext) -> None:
    metadata = metadata_of(obj)
    context.writer.field("Name", name_of(obj))
    context.writer.field("Namespace", namespace_of(obj))
    labels(context.writer, "Labels", metadata.get("labels"))
    annotations(context.writer, "Annotations", metadata.get("annotations"))
    _content(context.writer, obj, "", 0)
    events_section(obj, context)


def _content(writer: Writer, content: Object, prefix: str, level: int) -> None:
    for field in sorted(content):
        path, value = f"{prefix}.{field}", content[field]
        if path in _SHOWN_ABOVE:
            continue
        if isinstance(value, dict):
            writer.line(f"{label_for(field)}:", level)
            _content(writer, value, path, level + 1)
        elif isinstance(value, list):
            writer.line(f"{label_for(field)}:", level)
            for child in value:
                _child(writer, child, path, level + 1)
        else:
            writer.field(label_for(field), plain(value), level)


def _child(writer: Writer, child: Json, path: str, level: int) -> None:
    if isinstance(child, dict):
        _content(writer, child, path, level)
    else:
        writer.line(plain(child), level)


def label_for(field: str) -> str:
    """``resourceVersion`` → ``Resource Version``; what has other characters than letters and hyphens stays."""
    if not all(char.isalpha() or char == "-" for char in field):
        return field
    words = [word.upper() if word.upper() in _ACRONYMS else word[:1].upper() + word[1:] for word in _WORDS.findall(field)]
    return " ".join(words)
