"""What is typed after ``:``: a type, and where and which of its objects are wanted.

``po``, ``po shop`` (a namespace, or ``all``), ``po app=web`` (labels), ``po /front`` (a filter); or kubectl's flags for the same.
"""

from collections.abc import Sequence
from typing import NamedTuple

from svcsim.meta.errors import StatusError
from svcsim.meta.label_selectors import parse_labels

ALL_NAMESPACES = ("all", "*", "-A", "--all-namespaces")
"""Words for all namespaces."""
_FLAGS = {"-n": "namespace", "--namespace": "namespace", "-l": "label_selector", "--selector": "label_selector"}


class TypedCommandError(ValueError):
    """A command that can't be meant; the message says what to type instead."""


class TypedCommand(NamedTuple):
    """A command, taken apart. ``namespace`` None is where one is; empty is all of them."""

    kind: str
    namespace: str | None = None
    label_selector: str = ""
    filter_text: str = ""


def parse(words: Sequence[str]) -> TypedCommand:
    """Take apart what was typed. Raises `TypedCommandError`."""
    kind, *rest = words
    found: dict[str, str] = {}
    while rest:
        word = rest.pop(0)
        name, value = _flag(word, rest) if word.startswith("-") and word not in ALL_NAMESPACES else _plain(word)
        if name == "filter_text":
            value, rest = " ".join([value, *rest]), []
        if name in found:
            raise TypedCommandError(f'"{word}": there is one {_IN_WORDS[name]} already')
        found[name] = value
    return TypedCommand(kind, found.get("namespace"), _checked(found.get("label_selector", "")), found.get("filter_text", ""))


_IN_WORDS = {"namespace": "namespace", "label_selector": "label selector"}


def _flag(word: str, rest: list[str]) -> tuple[str, str]:
    flag, equals, value = word.partition("=")
    if not word.startswith("--") and len(word) > 2 and not equals:
        flag, value = word[:2], word[2:]  # -nshop
    if flag not in _FLAGS:
        raise TypedCommandError(f'there is no flag "{flag}" here; what there is: -n NAMESPACE, -A, -l LABELS, /FILTER')
    if not value and not equals:
        if not rest:
            raise TypedCommandError(f"{flag} needs a value")
        value = rest.pop(0)
    return _FLAGS[flag], value


def _plain(word: str) -> tuple[str, str]:
    if word in ALL_NAMESPACES:
        return "namespace", ""
    if word.startswith("/"):
        return "filter_text", word[1:]
    return ("label_selector" if "=" in word else "namespace"), word


def _checked(label_selector: str) -> str:
    try:
        parse_labels(label_selector)
    except StatusError as error:
        raise TypedCommandError(f'"{label_selector}" is no label selector: {error.message}') from error
    return label_selector
