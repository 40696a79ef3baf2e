"""Templates of stages: Go templates that make a patch, or a message, of an object.

They can call what Go and the sprig library have, and what kwok's public documentation names: ``Now``, ``StartTime``, ``Quote``, ``YAML``,
``Version``, ``NodeConditions``, ``NodeName``, ``NodeIP``, ``NodePort``, ``PodIP``, ``NodeIPWith``, ``NodeIPsWith``, ``PodIPWith``,
``PodIPsWith``.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import orjson

from svcsim import limits
from svcsim.chance import Chance
from svcsim.clock import format_time
from svcsim.meta.codec import decode_yaml, encode_yaml
from svcsim.meta.errors import StatusError
from svcsim.meta.go_values import quote
from svcsim.meta.gotemplate.effort import Effort
from svcsim.meta.gotemplate.errors import CallError, TemplateError
from svcsim.meta.gotemplate.formatting import default_text
from svcsim.meta.gotemplate.functions import FUNCTIONS, Functions, KnownFunction
from svcsim.meta.gotemplate.nodes import GoTemplate
from svcsim.meta.gotemplate.running import as_read_by_go, read, render
from svcsim.meta.types import Json, Object
from svcsim.nodes.machines.node import KUBELET_PORT, KUBELET_VERSION, VITALS
from svcsim.nodes.staged.sprig.chance import by_chance
from svcsim.nodes.staged.sprig.functions import SPRIG
from svcsim.nodes.staged.sprig.times import dates
from svcsim.nodes.staged.sprig.values import given, is_empty

_NO_NETWORK = ("NetworkUnavailable", "False", "RouteCreated", "RouteController created a route")


class StageError(Exception):
    """A stage that can't be read, or can't be played on an object; the message says what is wrong."""


class Whereabouts(NamedTuple):
    """What templates know of where an object is, and of the time."""

    now: float = 0.0
    started_at: float = 0.0
    """Since when the cluster's stages are played."""
    node_name: str = ""
    node_ips: Sequence[str] = ()
    """One of each version of IP."""
    pod_ips: Callable[[bool], Sequence[str]] = lambda _host_network: ()
    """The addresses of the pod; those of its node for one in its node's network."""
    chance: Chance = Chance(0)
    """Decides in templates."""

    @property
    def node_ip(self) -> str:
        """The first of the node's addresses; empty where it has none."""
        return next(iter(self.node_ips), "")

    def pod_ip(self, *, host_network: bool) -> str:
        """The first of the pod's addresses."""
        return next(iter(self.pod_ips(host_network)), "")


def template(text: str) -> GoTemplate:
    """The template that a text is. Raises `StageError`."""
    try:
        return read(text.strip(), _NAMES)
    except TemplateError as error:
        raise StageError(str(error).replace("template: output:", "template: ", 1)) from None


def as_text(source: GoTemplate, obj: Object, place: Whereabouts) -> str:
    """What a template makes of an object. Raises `StageError`."""
    written: list[str] = []
    length = 0

    def write(piece: str) -> None:
        nonlocal length
        length += len(piece)
        if length > limits.RENDERED_CHARS:
            raise StageError(f"it makes more than {limits.RENDERED_CHARS} characters")
        written.append(piece)

    try:
        render(source, as_read_by_go(obj), write, {**_PLAIN, **_of_place(place)}, effort=Effort())
    except TemplateError as error:
        raise StageError(str(error).replace("template: output:", "template: ", 1)) from None
    return "".join(written)


def as_value(source: GoTemplate, obj: Object, place: Whereabouts) -> Json:
    """The YAML that a template makes of an object, as a value. Raises `StageError`."""
    text = as_text(source, obj, place)
    try:
        return decode_yaml(text.encode())
    except StatusError as error:
        raise StageError(f"what it makes is no YAML: {error.message}") from None


def _plain_json(value: Json) -> bytes:
    return orjson.dumps(given(value), option=orjson.OPT_PASSTHROUGH_SUBCLASS | orjson.OPT_SORT_KEYS, default=int)


def _quoted(value: Json) -> str:
    """A text as YAML takes it, whatever is in it; other values as texts."""
    try:
        found = _plain_json(value).decode()
    except TypeError:
        return quote(default_text(value))
    return found if found.startswith('"') else orjson.dumps(found).decode()


def _yaml(value: Json, levels: Json = 0) -> str:
    """A value as YAML, on lines of its own that are so many levels deep."""
    if isinstance(levels, bool) or not isinstance(levels, int) or levels > limits.TEMPLATE_LEVELS:
        raise CallError(f"{default_text(levels)} is no number of levels")
    try:
        text = encode_yaml(orjson.loads(_plain_json(value))).decode()
    except TypeError as error:
        raise CallError(str(error)) from None
    return f"\n{text}".replace("\n", "\n" + "  " * levels) if levels > 0 else text


def _node_conditions() -> Json:
    """The conditions of a node that is well."""
    pressures = [(vital.condition, "False", *vital.fine) for vital in VITALS.values()]
    ready = ("Ready", "True", "KubeletReady", "kubelet is posting ready status")
    return [
        {"type": kind, "status": status, "reason": reason, "message": message}
        for kind, status, reason, message in (ready, *pressures, _NO_NETWORK)
    ]


_PLAIN: Functions = {
    **FUNCTIONS,
    **SPRIG,
    "NodeConditions": KnownFunction(_node_conditions, 0, 0),
    "Quote": KnownFunction(_quoted, 1, 1),
    "Version": KnownFunction(lambda: KUBELET_VERSION, 0, 0),
    "YAML": KnownFunction(_yaml, 1, 2),
}


def _of_place(place: Whereabouts) -> Functions:
    def now() -> str:
        return format_time(place.now)

    return {
        **dates(place.now),
        **by_chance(place.chance),
        "NodeIP": KnownFunction(lambda: place.node_ip, 0, 0),
        "NodeIPWith": KnownFunction(lambda _node: place.node_ip, 1, 1),
        "NodeIPsWith": KnownFunction(lambda _node: list(place.node_ips), 1, 1),
        "NodeName": KnownFunction(lambda: place.node_name, 0, 0),
        "NodePort": KnownFunction(lambda: KUBELET_PORT, 0, 0),
        "Now": KnownFunction(now, 0, 0),
        "PodIP": KnownFunction(lambda: place.pod_ip(host_network=False), 0, 0),
        "PodIPWith": KnownFunction(lambda _node, host_network, *_names: place.pod_ip(host_network=not is_empty(host_network)), 2, 5),
        "PodIPsWith": KnownFunction(lambda _node, host_network, *_names: list(place.pod_ips(not is_empty(host_network))), 2, 5),
        "StartTime": KnownFunction(lambda: format_time(place.started_at), 0, 0),
        "now": KnownFunction(now, 0, 0),
    }


_NAMES = tuple({**_PLAIN, **_of_place(Whereabouts())})
