"""What names refer to is looked up at once, however long the lists of names are: the work grows with the lists, not with their square."""

from collections.abc import Callable, Iterable
from itertools import islice
from typing import ClassVar

from svcsim.kinds.core import resource_quota_rules as quota
from svcsim.kinds.shared.pod_spec.claim_rules import used_claims_rules
from svcsim.kinds.shared.pod_spec.spec_rules import pod_spec_rules
from svcsim.meta.errors import FieldError
from tests.kinds.helpers import context

COUNT = 500


class Counted(str):
    """A name that knows how often names were looked at."""

    __slots__ = ()

    looks: ClassVar[int] = 0

    def __eq__(self, other: object) -> bool:
        Counted.looks += 1
        return str.__eq__(self, other)

    def __hash__(self) -> int:
        return str.__hash__(self)

    def startswith(self, *of: object) -> bool:
        Counted.looks += 1
        return str.startswith(self, *of)  # type: ignore[arg-type]


def names(first: str) -> list[Counted]:
    return [Counted(f"{first}{index}") for index in range(COUNT)]


def looks(rules: Callable[[], Iterable[FieldError]]) -> int:
    Counted.looks = 0
    assert list(rules()) == []
    return Counted.looks


def test_claims_of_a_pod_are_looked_up():
    pod = {
        "resourceClaims": [{"name": name, "resourceClaimName": "x"} for name in names("a")],
        "containers": [{"name": f"c{index}", "resources": {"claims": [{"name": name}]}} for index, name in enumerate(names("a"))],
    }
    assert looks(lambda: pod_spec_rules(pod, "spec")) < 20 * COUNT
    container = {"resources": {"claims": [{"name": name} for name in names("a")]}}
    assert looks(lambda: used_claims_rules(container, dict.fromkeys(names("a")), "c")) < 20 * COUNT


def test_claims_that_are_not_there_are_looked_for_no_further_than_they_are_told():
    pod = {
        "resourceClaims": [{"name": name, "resourceClaimName": "x"} for name in names("a")],
        "containers": [{"name": "c", "resources": {"claims": [{"name": name} for name in names("b")]}}],
    }
    rules = pod_spec_rules(pod, "spec")
    assert len(list(islice(rules, 3))) == 3
    assert not isinstance(rules, list), "each finding repeats all names: nobody makes them before they are asked for"


def test_targets_of_ephemeral_containers_are_looked_up():
    pod = {
        "containers": [{"name": name} for name in names("a")],
        "ephemeralContainers": [{"name": f"e{index}", "targetContainerName": name} for index, name in enumerate(names("a"))],
    }
    assert looks(lambda: pod_spec_rules(pod, "spec")) < 20 * COUNT


def test_a_scope_is_held_against_resources_once():
    hard = dict.fromkeys(names("count/a"), "1")
    scopes = ["Terminating", "NotTerminating"] * COUNT
    rules = quota.resource_quota_rules({"spec": {"hard": hard, "scopes": scopes}}, context())
    Counted.looks = 0
    assert [finding.message.rpartition(": ")[2] for finding in rules] == ["conflicting scopes"]
    assert Counted.looks < 100 * COUNT
