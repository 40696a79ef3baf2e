"""What is remembered of nodes, and counted along, is what would be found anew."""

from collections.abc import Generator

import pytest

from svcsim import limits
from svcsim.chance import Chance
from svcsim.meta.types import Json, Object
from svcsim.scheduler.cycle import Cycle, Tallies
from svcsim.scheduler.looks import KnownLooks
from svcsim.scheduler.placement import Placer
from svcsim.scheduler.pod import PodInfo
from svcsim.scheduler.questions import Questions
from svcsim.scheduler.rules import Candidates
from svcsim.scheduler.scoring import best
from svcsim.scheduler.snapshot import Snapshot
from svcsim.scheduler.turns import Turn
from tests.scheduler.build import KNOWN, finished, node, place, pod, selector, snapshot

ZONE = "topology.kubernetes.io/zone"
HOST = "kubernetes.io/hostname"
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"


def term(app: str, key: str) -> Object:
    return {"topologyKey": key, "labelSelector": selector(app=app)}


def spread(app: str, key: str, when: str) -> Object:
    return {"maxSkew": 1, "topologyKey": key, "whenUnsatisfiable": when, "labelSelector": selector(app=app)}


KINDS: list[dict[str, Json]] = [
    {"labels": {"app": "a"}, "requests": {"cpu": "500m"}},
    {"labels": {"app": "a"}, "requests": {"cpu": "1", "memory": "1Gi"}, "nodeSelector": {"disk": "ssd"}},
    {"labels": {"app": "b"}, "topologySpreadConstraints": [spread("b", ZONE, "DoNotSchedule"), spread("a", HOST, "ScheduleAnyway")]},
    {"labels": {"app": "c"}, "affinity": {"podAntiAffinity": {REQUIRED: [term("c", HOST), term("b", HOST)]}}},
    {"labels": {"app": "d"}, "affinity": {"podAffinity": {REQUIRED: [term("d", ZONE)]}}},
    {"labels": {"app": "e"}, "affinity": {"podAffinity": {PREFERRED: [{"weight": 7, "podAffinityTerm": term("c", ZONE)}]}}},
    {"labels": {"app": "g"}, "containers": [{"name": "c", "image": "large"}, {"name": "d", "image": "huge:2"}]},
    {"labels": {"app": "f"}, "tolerations": [{"operator": "Exists", "effect": "NoSchedule"}], "priority": 5},
]


def some_node(number: int, chance: Chance) -> Object:
    labels = {ZONE: f"zone-{number % 3}", **({"disk": "ssd"} if chance.uniform(0.0, 1.0) < 0.5 else {})}
    taints = [{"key": "dedicated", "value": "x", "effect": chance.choice(["NoSchedule", "PreferNoSchedule"])}]
    one = node(f"n{number}", labels=labels, taints=taints if chance.uniform(0.0, 1.0) < 0.3 else [], pods=chance.integer(1, 6))
    images = chance.choice([[], ["large:latest"], ["huge:2"], ["large:latest", "huge:2"]])
    one["status"]["images"] = [{"names": [name], "sizeBytes": 700_000_000} for name in images]
    return one


def best_anew(of: PodInfo, on: Snapshot) -> list[str]:
    """The names of the nodes that are best, found out without anything that is remembered."""
    questions = Questions(Cycle(of, on, KNOWN, Tallies(), Turn()))
    finished(questions.cycle.count())
    fitting = [one for one in on.nodes if questions.refusal(one) is None]
    if not fitting:
        return []
    return [one.name for one in finished(best(questions.cycle, Candidates.of(fitting), KnownLooks()))]


@pytest.mark.parametrize("remembered", [3, 20_000])
@pytest.mark.parametrize("seed", range(12))
def test_whatever_has_happened_since_a_pod_goes_where_it_would_go_if_all_were_looked_at_anew(
    seed: int, remembered: int, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(limits, "SCHEDULER_LOOKS", remembered)
    chance = Chance(seed)
    on = snapshot(*(some_node(number, chance) for number in range(8)))
    placer = Placer(on, KNOWN, Chance(seed))
    there: list[str] = []
    for step in range(250):
        act = chance.uniform(0.0, 1.0)
        if act < 0.12 and there:
            on.remove_pod(there.pop(chance.integer(0, len(there) - 1)))
        elif act < 0.22:
            on.set_node(some_node(chance.integer(0, 9), chance))
        elif act < 0.26:
            on.remove_node(f"n{chance.integer(0, 9)}")
        else:
            one = pod(f"p{step}", **chance.choice(KINDS))
            found = finished(placer.place(one))
            best = best_anew(one, on)
            assert (found.node in best) if best else (found.node == "" and found.message == place(one, on).message)
            if found.node:
                on.assume(one, found.node)
                there.append(one.key)


def test_a_node_that_came_between_two_tries_is_asked():
    on = snapshot(node("one", pods=0))
    placer = Placer(on, KNOWN, Chance(1))
    assert finished(placer.place(pod("a"))).node == ""
    on.set_node(node("two"))
    assert finished(placer.place(pod("a"))).node == "two"


def test_namespaces_with_other_labels_are_counted_anew():
    labels = {"default": {"team": "a"}}
    known = KNOWN._replace(namespace_labels=lambda name: labels.get(name, {}))
    on = snapshot(node("one"), node("two"))
    on.assume(pod("db", labels={"app": "db"}), "one")
    wanted = {**term("db", HOST), "namespaceSelector": selector(team="a")}
    web = pod("web", affinity={"podAffinity": {REQUIRED: [wanted]}})
    placer = Placer(on, known, Chance(1))
    assert finished(placer.place(web)).node == "one"
    labels["default"] = {"team": "b"}
    placer.forget_counts()
    assert finished(placer.place(web)).node == ""


def distributed(count: int) -> Snapshot:
    """Nodes of which only the last has no taint to be avoided."""
    avoided = [{"key": "x", "value": "", "effect": "PreferNoSchedule"}]
    return snapshot(*(node(f"n{number}", taints=avoided if number < count - 1 else []) for number in range(count)))


SPREAD: dict[str, Json] = {"labels": {"app": "a"}, "topologySpreadConstraints": [spread("a", HOST, "DoNotSchedule")]}


def given_up(steps: Generator[None, None, object], after: int) -> bool:
    """Whether a decision that is given up after some give-ways had not come to its end by then."""
    for _ in range(after):
        if next(steps, steps) is steps:
            return False
    steps.close()
    return True


@pytest.mark.parametrize("parts", [{}, SPREAD])
def test_what_a_decision_that_was_given_up_had_not_looked_at_is_looked_at_by_the_next(
    parts: dict[str, Json], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(limits, "DECIDING_STEPS_A_TURN", 1)
    after = 1
    placer = Placer(distributed(6), KNOWN, Chance(1))
    while given_up(placer.place(pod("first", **parts)), after):
        assert finished(placer.place(pod("second", **parts))).node == "n5", f"given up after {after} give-ways"
        placer, after = Placer(distributed(6), KNOWN, Chance(1)), after + 1
    assert after > 6


@pytest.mark.parametrize("parts", [{}, SPREAD])
def test_a_decision_comes_to_an_end_though_all_nodes_go_meanwhile(parts: dict[str, Json], monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(limits, "DECIDING_STEPS_A_TURN", 1)
    after, ended = 1, False
    while not ended:
        on = distributed(3)
        steps = Placer(on, KNOWN, Chance(1)).place(pod("p", **parts))
        for _ in range(after):
            ended = ended or next(steps, steps) is steps
        for number in range(3):
            on.remove_node(f"n{number}")
        if not ended:
            finished(steps)
        after += 1
    assert after > 6
