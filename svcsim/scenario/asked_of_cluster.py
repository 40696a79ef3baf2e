"""Whether a cluster that is up is what a scenario asks for: one that isn't would make what the scenario says of it untrue."""

from collections.abc import Callable, Iterator
from functools import reduce
from typing import NamedTuple

import orjson

from svcsim.cluster.parts import OFF_BY_DEFAULT
from svcsim.cluster.settings import Setting, settings
from svcsim.cluster.spec import ClusterSpec
from svcsim.meta.types import Json, Object
from svcsim.scenario.load import Node, Position


class Asked(NamedTuple):
    """A setting that the scenario's ``cluster:`` names, and where its value stands."""

    setting: Setting
    position: Position


class Lack(NamedTuple):
    """What the cluster isn't, and where that is asked for."""

    position: Position
    message: str


def asked_settings(block: Object, node: Node) -> tuple[Asked, ...]:
    """The settings that a block names, which stands at a node."""
    return tuple(
        Asked(one, node.find(*one.json_path).position) for one in settings(ClusterSpec) if one.in_scenario and _names(block, one.json_path)
    )


def lacks(asked: tuple[Asked, ...], wanted: ClusterSpec, running: ClusterSpec) -> Iterator[Lack]:
    """In what a cluster that is up differs from what is asked for."""
    for setting, position in asked:
        judge = _JUDGES.get(setting.name)
        for message in judge(wanted, running) if judge is not None else _other(setting, wanted, running):
            yield Lack(position, f"the cluster that is up {message}")


def _names(block: Json, path: tuple[str, ...]) -> bool:
    *groups, last = path
    place: Json = reduce(lambda outer, name: outer.get(name) or {}, groups, block)
    return last in place


def _other(setting: Setting, wanted: ClusterSpec, running: ClusterSpec) -> Iterator[str]:
    if setting.of(wanted) != setting.of(running):
        has, asks = (orjson.dumps(setting.value.to_json(setting.of(spec))).decode() for spec in (running, wanted))
        yield f"has {'.'.join(setting.json_path)} {has}, and the scenario asks for {asks}"


def _dialect(wanted: ClusterSpec, running: ClusterSpec) -> Iterator[str]:
    if running.dialect != wanted.dialect:
        yield f"speaks the dialect {running.dialect}, and the scenario {wanted.dialect}"


def _nodes(wanted: ClusterSpec, running: ClusterSpec) -> Iterator[str]:
    if running.nodes < wanted.nodes:
        yield f"has {running.nodes} nodes, and the scenario asks for {wanted.nodes}"


def _enabled(wanted: ClusterSpec, running: ClusterSpec) -> Iterator[str]:
    yield from (f"doesn't have the admission plugin {name} on" for name in wanted.admission.enable if not _is_on(name, running))


def _disabled(wanted: ClusterSpec, running: ClusterSpec) -> Iterator[str]:
    yield from (f"has the admission plugin {name} on" for name in wanted.admission.disable if _is_on(name, running))


def _is_on(name: str, spec: ClusterSpec) -> bool:
    return name in spec.admission.enable or name not in (*OFF_BY_DEFAULT, *spec.admission.disable)


_JUDGES: dict[str, Callable[[ClusterSpec, ClusterSpec], Iterator[str]]] = {
    "dialect": _dialect,
    "nodes": _nodes,
    "admission.enable": _enabled,
    "admission.disable": _disabled,
}
"""For settings of which more, or the same said otherwise, will do."""
