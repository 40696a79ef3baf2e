"""What is remembered of how nodes look to a pod's scores: who has changed is looked at again, and nobody else."""

from svcsim.scheduler.cycle import Cycle, Tallies
from svcsim.scheduler.looks import KnownLooks, Looks
from svcsim.scheduler.node import NodeInfo
from svcsim.scheduler.pod import PodInfo
from svcsim.scheduler.rules import Candidates, Scorer
from svcsim.scheduler.snapshot import Snapshot
from svcsim.scheduler.turns import Turn
from tests.scheduler.build import KNOWN, finished, node, pod, snapshot


class PodsThere:
    """Sees how many pods are on a node, and notes at which nodes it looked."""

    def __init__(self) -> None:
        self.at: list[str] = []
        self.scorer = Scorer.of_number(self._look, ())

    def _look(self, one: NodeInfo) -> int:
        self.at.append(one.name)
        return len(one.pods)

    def looked_at(self) -> list[str]:
        """The nodes since this was asked last, by name."""
        at, self.at = self.at, []
        return sorted(at)


def known(known_looks: KnownLooks, of: PodInfo, on: Snapshot, score: PodsThere) -> Looks:
    return finished(known_looks.refreshed(Cycle(of, on, KNOWN, Tallies(), Turn()), [score.scorer], 1))


def test_only_nodes_that_have_changed_are_looked_at_again():
    on, looks, score = snapshot(*(node(f"n{number}") for number in range(4))), KnownLooks(), PodsThere()
    alike = [pod(f"p{number}") for number in range(3)]
    assert known(looks, alike[0], on, score).numbers == [0, 0, 0, 0]
    assert score.looked_at() == ["n0", "n1", "n2", "n3"]
    on.assume(alike[0], "n2")
    assert known(looks, alike[1], on, score).numbers == [0, 0, 1, 0]
    assert score.looked_at() == ["n2"]
    assert known(looks, alike[2], on, score).of_number == [(0,), (1,)]
    assert score.looked_at() == []
    known(looks, pod("other", requests={"cpu": "1"}), on, score)
    assert score.looked_at() == ["n0", "n1", "n2", "n3"], "pods that need something else see nodes differently"


def test_nodes_that_went_and_came_are_where_they_are_now():
    on, looks, score = snapshot(node("n0"), node("n1"), node("n2")), KnownLooks(), PodsThere()
    one = pod("p")
    on.assume(pod("there"), "n2")
    known(looks, one, on, score)
    before = Candidates(on.nodes, [0, 2], on.layout)
    on.remove_node("n0")
    on.set_node(node("n3"))
    there = known(looks, one, on, score)
    assert [there.of_number[number] for number in there.numbers] == [(0,), (1,), (0,)]
    assert [there.of_number[number] for number in there.of(before, [score.scorer])] == [(0,), (1,)], "of those that were found before"
