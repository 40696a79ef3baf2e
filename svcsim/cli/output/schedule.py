"""What the scheduler says of a pod, as people read it: what state it is in, the nodes that could take it with their scores, and the others.

Thousands of nodes are grouped by what they say, and of those that could take the pod only the best are shown, unless all are asked for.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from svcsim.meta.types import Object
from svcsim.printing.harmless import one_line
from svcsim.printing.why.scheduling import OF_NOT_READY

_NAMES_SHOWN = 3
_NOWHERE = {"Finished": "it has ended", "Terminating": "it is on its way out"}


class Table(NamedTuple):
    """Columns and rows."""

    header: list[str]
    rows: list[list[str]]


def state(told: Object) -> list[str]:
    """What is to be said of the pod itself, a line each."""
    pod, where = told["pod"], told.get("nodeName", "")
    lines = [f"pod {pod['namespace']}/{pod['name']}: {_state(told)}"]
    if told.get("nominatedNodeName") and not where:
        lines.append(f"node {told['nominatedNodeName']} is being cleared for it")
    if told["message"] and not where:
        lines.append(told["message"])
    return [one_line(line) for line in lines]


def _state(told: Object) -> str:
    kind, name = told["state"], told["schedulerName"]
    if kind == "Gated":
        return f"held back by its scheduling gates ({', '.join(told['schedulingGates'])}). Without them:"
    if kind == "Placed":
        now = "If it were to be placed now:" if told["nodes"] else "There are no nodes now."
        return f"on node {told['nodeName']}. {now}"
    if kind in _NOWHERE:
        return f"not to be placed any more: {_NOWHERE[kind]}"
    if not told["served"]:
        return f"waiting for a scheduler named {name}, which isn't svcsim's. To svcsim's it would look like this:"
    queue = told.get("queue")
    if queue is None:
        return "not in the scheduler's queue"
    tries = {0: "not tried yet", 1: "after one try"}.get(queue["attempts"], f"after {queue['attempts']} tries")
    until = f" until {queue['until']}" if "until" in queue else ""
    by = f", until something helps it past {', '.join(queue['refusedBy'])}" if queue.get("refusedBy") else ""
    return f"{queue['state']}{until}, {tries}{by}"


def fitting(told: Object, limit: int) -> tuple[Table, int]:
    """The nodes that could take it, the best first, with each score; and how many aren't shown. A negative limit shows all."""
    nodes = sorted((node for node in told["nodes"] if node["fits"]), key=lambda node: -node["score"])
    shown = nodes if limit < 0 else nodes[:limit]
    scores = list(dict.fromkeys(name for node in nodes[:1] for name in node["scores"]))
    header = ["NODE", "TOTAL", *scores]
    rows = [[node["name"], str(node["score"]), *(str(node["scores"][name]) for name in scores)] for node in shown]
    return Table(header, rows), len(nodes) - len(shown)


def refusing(told: Object, *, each: bool) -> Table:
    """The nodes that can't: grouped by filter and reason, or each by itself."""
    refused = [node for node in told["nodes"] if not node["fits"]]
    if each:
        return Table(["NODE", "FILTER", "WHY"], [[node["name"], node["filter"], ", ".join(node["reasons"])] for node in refused])
    groups: dict[tuple[str, str], list[str]] = {}
    for node in refused:
        groups.setdefault((node["filter"], ", ".join(node["reasons"])), []).append(node["name"])
    biggest_first = sorted(groups.items(), key=lambda group: -len(group[1]))
    return Table(["NODES", "FILTER", "WHY", "WHICH"], [[str(len(names)), rule, why, _some(names)] for (rule, why), names in biggest_first])


def not_ready(told: Object) -> list[str]:
    """The first of the nodes that are refused because they aren't ready."""
    found = [one["name"] for one in told["nodes"] if any(taint in reason for reason in one.get("reasons", ()) for taint in OF_NOT_READY)]
    return found[:_NAMES_SHOWN]


def _some(names: Sequence[str]) -> str:
    shown = ", ".join(names[:_NAMES_SHOWN])
    return shown if len(names) <= _NAMES_SHOWN else f"{shown}, … and {len(names) - _NAMES_SHOWN} more"


def counts(told: Object) -> Iterator[str]:
    """How many nodes could take it, and how many can't; what there is nothing to say of is left out."""
    nodes = told["nodes"]
    fit = sum(node["fits"] for node in nodes)
    yield f"{fit} of {len(nodes)} nodes could take it:" if fit else ""
    yield f"{len(nodes) - fit} of {len(nodes)} nodes can't:" if fit < len(nodes) else ""
