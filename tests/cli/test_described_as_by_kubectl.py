"""Whole objects of every kind on one cluster, described by svcsim and by kubectl: what both say must be the same."""

import re
import shutil
from collections.abc import Iterator

import pytest

from svcsim.registry.kind import Kind
from tests.kinds.samples.every import NOT_DESCRIBED_BY_KUBECTL, key_of
from tests.process import served
from tests.wire.raw import Wire
from tests.wire.test_kubectl import Kubectl
from tests.wire.test_verbs import Served
from tests.wire.test_whole_objects import STORED, name_of_the, stock

pytestmark = pytest.mark.skipif(not shutil.which("kubectl"), reason="no kubectl on the PATH")

IN_ANY_ORDER = ("v1 ConfigMap", "v1 LimitRange", "v1 Secret")
"""Kinds of which kubectl says some lines in another order each time."""
DESCRIBED = [kind for kind in STORED if key_of(kind) not in NOT_DESCRIBED_BY_KUBECTL]
_AGE = re.compile(r"\b(\d+[smh])+\b")


@pytest.fixture(scope="module")
def stocked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kubectl]:
    """A cluster without nodes, in which nothing moves."""
    with served(tmp_path_factory.mktemp("described"), "kubernetes", "--durability", "process", "--nodes", "0", "--seed", "1") as server:
        wire = Wire(server)
        stock(wire, "default")
        yield Kubectl(wire, tmp_path_factory.mktemp("kubectl"), "default")
        wire.close()


def without_ages(text: str) -> list[str]:
    """The lines, with ages masked, which may be another second's, and columns one blank apart, since ages are in some."""
    return [re.sub(r" {2,}|-{3,}", " ", _AGE.sub("AGE", line)).rstrip() for line in text.splitlines()]


@pytest.mark.parametrize("kind", DESCRIBED, ids=[key_of(kind) for kind in DESCRIBED])
def test_both_say_the_same(stocked: Kubectl, kind: Kind, run, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("KUBECONFIG", str(stocked.wire.server.kubeconfig))
    api_version = Served(stocked.wire, kind, "default").api_version
    group, _, version = api_version.rpartition("/")
    name = name_of_the(kind, "default")
    words = ("describe", f"{kind.plural}.{version}.{group}" if group else kind.plural, name)
    theirs = stocked.run(*words)
    assert name in theirs
    ours = run([*words, "-n", "default"])
    assert ours.status == 0, ours.err
    in_order = sorted if key_of(kind) in IN_ANY_ORDER else list
    assert in_order(without_ages(ours.out)) == in_order(without_ages(theirs))
