"""The annotations by which a manifest says how what it describes behaves here: ``svcsim.dev/run-for``.

With a container's name before the domain, as in ``worker.svcsim.dev/run-for``, one is meant for that container alone, and goes before
what is meant for all of its pod.
"""

import re
from collections.abc import Mapping
from typing import NamedTuple

DOMAIN = "svcsim.dev"


class OwnAnnotation(NamedTuple):
    """What an annotation is about."""

    container: str
    """Empty for all of them."""
    name: str


def own_annotation(key: str) -> OwnAnnotation | None:
    """What a key says, if it is one of ours."""
    domain, _, name = key.partition("/")
    if domain == DOMAIN:
        return OwnAnnotation("", name)
    return OwnAnnotation(domain.removesuffix(_OF_CONTAINER), name) if domain.endswith(_OF_CONTAINER) else None


_OF_CONTAINER = f".{DOMAIN}"
_KEY = re.compile(rf"(?:[A-Za-z0-9][A-Za-z0-9.-]*\.)?{re.escape(DOMAIN)}/[A-Za-z0-9](?:[\w.-]*[A-Za-z0-9])?", re.ASCII)


def own_keys(text: str) -> list[str]:
    """The keys that a text names, such as a query or a template, in its order."""
    return list(dict.fromkeys(_KEY.findall(text))) if DOMAIN in text else []


def own_annotations(annotations: Mapping[str, str] | None) -> tuple[tuple[str, str], ...]:
    """An object's annotations in svcsim's domain; nearly no object has any."""
    if not annotations:
        return ()
    return tuple((key, text) for key, text in annotations.items() if DOMAIN in key and own_annotation(key) is not None)


def said_of_container(annotations: Mapping[str, str], container: str, name: str, *, alone: bool = False) -> str:
    """What annotations say of a container, or, unless it is to be of that one ``alone``, of all; empty where they say nothing."""
    of_all = "" if alone else annotations.get(f"{DOMAIN}/{name}")
    return annotations.get(f"{container}{_OF_CONTAINER}/{name}") or of_all or ""
