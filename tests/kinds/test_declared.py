"""What the kinds declare is what they have always declared, and each of them is served."""

import importlib
import pkgutil
from dataclasses import replace
from difflib import unified_diff
from pathlib import Path

import pytest

from svcsim import kinds
from svcsim.kinds.apps.deployment import DEPLOYMENT
from svcsim.kinds.apps.replica_set import REPLICA_SET
from svcsim.kinds.coordination.lease import LEASE
from svcsim.kinds.core.endpoints import ENDPOINTS
from svcsim.kinds.core.node import NODE
from svcsim.kinds.core.pod import POD
from svcsim.kinds.core.service import SERVICE
from svcsim.kinds.shared.checks import one_of
from svcsim.kinds.shared.columns import text_at
from svcsim.registry.kind import STATUS, Kind
from svcsim.schema.types import Field, Int, List, Map, Raw, Str, Struct
from tests.kinds.declared import declared
from tests.kinds.helpers import CATALOGUED

KNOWN = Path(__file__).with_name("declared.txt")


def test_nothing_that_clients_rely_on_has_changed():
    changes = unified_diff(KNOWN.read_text().splitlines(), [*declared().splitlines()], "declared.txt", "svcsim/kinds", lineterm="", n=1)
    found = "\n".join(changes)
    assert not found, f"if this is meant, run: python -m tests.kinds.declared > tests/kinds/declared.txt\n{found}"


HOLDER, AGE = LEASE.columns
SPEC = LEASE.schema.fields[0]

CHANGES: dict[str, tuple[Kind, dict[str, object], list[str]]] = {
    "an update without a revision": (LEASE, {"unconditional_update": True}, ["-unconditional_update: no", "+unconditional_update: yes"]),
    "an update that creates": (ENDPOINTS, {"update_creates": False}, ["-update_creates: yes"]),
    "a category": (REPLICA_SET, {"categories": ()}, ["-categories: all"]),
    "a short name": (POD, {"short": ()}, ["-short: po"]),
    "a singular": (POD, {"singular": "one"}, ["-singular: pod", "+singular: one"]),
    "a scope": (LEASE, {"namespaced": False}, ["-namespaced: yes", "+namespaced: no"]),
    "a verb": (LEASE, {"verbs": ("get", "list")}, [f"-verbs: {' '.join(LEASE.verbs)}", "+verbs: get list"]),
    "a selectable field": (POD, {"selectable": POD.selectable[1:]}, ["-selectable: spec.nodeName"]),
    "a column": (POD, {"columns": POD.columns[1:]}, ["-column: Ready: string priority=0 value=_ready"]),
    "a column's priority": (
        LEASE,
        {"columns": (HOLDER, AGE._replace(priority=1))},
        ["-column: Age: string priority=0 value=_age", "+column: Age: string priority=1 value=_age"],
    ),
    "what a column shows": (
        LEASE,
        {"columns": (HOLDER._replace(value=text_at("spec.holder")), AGE)},
        [
            '-column: Holder: string priority=0 value=text_at(missing="", path=spec.holderIdentity)',
            '+column: Holder: string priority=0 value=text_at(missing="", path=spec.holder)',
        ],
    ),
    "what a status may not write": (
        DEPLOYMENT,
        {"status": DEPLOYMENT.status._replace(subresource=replace(DEPLOYMENT.status.subresource, resets=STATUS.resets))},
        ["-  resets: spec metadata.labels", "+  resets: spec"],
    ),
    "that a create may set the status": (NODE, {"status": NODE.status._replace(set_by_create=False)}, ["-status set_by_create: yes"]),
    "a subresource": (
        SERVICE,
        {"status": None, "subresources": SERVICE.subresources[:-1], "generation": False},
        ["-subresource status", "-  verbs: get update patch", "-  resets: spec", "-  update_rules: service_changes service_status_changes"],
    ),
    "an option": (
        POD,
        {"subresources": (replace(POD.subresources[0], options=()), *POD.subresources[1:])},
        [f"-  option: {name}" for name in ("container string", "stdin boolean", "stdout boolean", "stderr boolean", "tty boolean")],
    ),
    "a rule": (POD, {"strategy": POD.strategy._replace(rules=())}, ["-hook rules: pod_rules"]),
    "a field's number": (
        LEASE,
        {"schema": Struct("Lease", replace(SPEC, number=3))},
        ["-  2 spec coordination.*/v1.LeaseSpec default={}", "+  3 spec coordination.*/v1.LeaseSpec default={}"],
    ),
    "a required field without a default": (
        LEASE,
        {"schema": Struct("Lease", replace(SPEC, required=True, default=None))},
        ["-  2 spec coordination.*/v1.LeaseSpec default={}", "+  2 spec coordination.*/v1.LeaseSpec required"],
    ),
}


@pytest.mark.parametrize(("kind", "changed", "shown"), CHANGES.values(), ids=CHANGES)
def test_whatever_changes_shows(kind: Kind, changed: dict[str, object], shown: list[str]):
    before, after = (declared((one,)).splitlines() for one in (kind, replace(kind, **changed)))
    lines = list(unified_diff(before, after, lineterm="", n=0))[2:]
    assert [line for line in lines if not line.startswith("@@")] == shown


TYPES: dict[str, tuple[Field, Field]] = {
    "a bound": (Field(1, "f", Int(minimum=1)), Field(1, "f", Int(minimum=0))),
    "an enum of a field": (Field(1, "f", Str(), enum=("a", "b")), Field(1, "f", Str(), enum=("a",))),
    "an enum of items": (Field(1, "f", List(Str(enum=("a", "b")))), Field(1, "f", List(Str(enum=("a",))))),
    "a list type": (Field(1, "f", List(Str(), "set")), Field(1, "f", List(Str(), "atomic"))),
    "a merge key": (Field(1, "f", List(SPEC.type, "map", ("a",), "a")), Field(1, "f", List(SPEC.type, "map", ("a",), "b"))),
    "unique items": (Field(1, "f", List(Str(), "set")), Field(1, "f", List(Str(), "set", unique=False))),
    "an atomic map": (Field(1, "f", Map(Str())), Field(1, "f", Map(Str(), atomic=True))),
    "a check of a field": (Field(1, "f", Str(), rules=(one_of("a", "b"),)), Field(1, "f", Str(), rules=(one_of("a"),))),
    "a check of items": (Field(1, "f", List(Str(rules=(one_of("a"),)))), Field(1, "f", List(Str()))),
    "a granular value": (Field(1, "f", Raw()), Field(1, "f", Raw(granular=True))),
    "presence": (Field(1, "f", Int()), Field(1, "f", Int(), presence=False)),
}


@pytest.mark.parametrize(("before", "after"), TYPES.values(), ids=TYPES)
def test_whatever_changes_in_a_field_shows(before: Field, after: Field):
    texts = [declared((replace(LEASE, schema=Struct("Lease", field)),)).splitlines() for field in (before, after)]
    changed = [(old, new) for old, new in zip(*texts, strict=True) if old != new]
    assert len(changed) == 1


def test_every_kind_there_is_is_listed():
    modules = [importlib.import_module(module.name) for module in pkgutil.walk_packages(kinds.__path__, f"{kinds.__name__}.")]
    found = {f"{module.__name__}.{name}": value for module in modules for name, value in vars(module).items() if isinstance(value, Kind)}
    assert [name for name, kind in found.items() if not any(kind is listed for listed in CATALOGUED)] == []


@pytest.mark.parametrize("kind", CATALOGUED, ids=lambda kind: f"{kind.name}-{kind.group.version}")
def test_a_kind_with_a_field_for_it_has_a_status(kind: Kind):
    assert (kind.status is not None) == (kind.schema.field("status") is not None and not kind.answered)
