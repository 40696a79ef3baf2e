"""An operator that is written with kopf, in a process of its own against a cluster in another: what its users see of it."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from importlib.util import find_spec
from pathlib import Path

import pytest
import yaml

from svcsim.meta.objects import condition_is
from svcsim.meta.types import Object
from tests.process import served
from tests.wire.raw import Stream, Wire

OPERATORS = Path(__file__).with_name("operators")
BALLOONS = "/apis/party.example.com/v1/namespaces/default/balloons"
MAPS = "/api/v1/namespaces/default/configmaps"
DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"


@pytest.fixture(scope="module")
def wire(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Wire]:
    """A cluster that knows balloons."""
    if find_spec("kopf") is None:
        pytest.fail("kopf is not installed, with which the operator is written: pip install -e '.[test]'", pytrace=False)
    with served(tmp_path_factory.mktemp("kopf"), "kubernetes", "--nodes", "0", "--durability", "process") as server:
        wire = Wire(server)
        definition = wire.create(DEFINITIONS, yaml.safe_load((OPERATORS / "balloons.yaml").read_text()))
        with wire.watch(DEFINITIONS, resourceVersion=definition["metadata"]["resourceVersion"]) as events:
            events.until(lambda event: condition_is(event["object"], "Established"))
        yield wire
        wire.close()
        assert wire.complaints() == []


def body(name: str, **spec: object) -> Object:
    return {"kind": "Balloon", "apiVersion": "party.example.com/v1", "metadata": {"name": name}, "spec": {"strings": 1, **spec}}


def account(wire: Wire) -> Path:
    """A client configuration of a service account that may do what such an operator needs, and no more."""
    for obj in yaml.safe_load_all((OPERATORS / "rights.yaml").read_text()):
        plural = f"{obj['kind'].lower()}s"
        where = "/apis/rbac.authorization.k8s.io/v1" if "rbac" in obj["apiVersion"] else "/api/v1"
        namespace = obj["metadata"].get("namespace")
        wire.create(f"{where}/namespaces/{namespace}/{plural}" if namespace else f"{where}/{plural}", obj)
    review = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}}
    token = wire.create("/api/v1/namespaces/default/serviceaccounts/balloonist/token", review)["status"]["token"]
    config = json.loads(wire.server.kubeconfig.read_text())
    config["users"][0]["user"] = {"token": token}
    path = wire.server.home / "balloonist"
    path.write_text(json.dumps(config))
    return path


@pytest.fixture(scope="module")
def operator(wire: Wire) -> Iterator[Path]:
    """The operator at work, where one balloon was there before it; its log."""
    wire.create(BALLOONS, body("early", strings=7))
    config = account(wire)
    log = wire.server.home / "operator.log"
    command = [sys.executable, "-m", "kopf", "run", "--standalone", "-n", "default", str(OPERATORS / "balloons.py")]
    environment = {**os.environ, "KUBECONFIG": str(config), "HOME": str(wire.server.home)}
    with log.open("wb") as out:
        process = subprocess.Popen(command, env=environment, stdout=out, stderr=subprocess.STDOUT)
    yield log
    process.terminate()
    code = process.wait(60)
    assert code == 0, log.read_text()
    assert "Traceback" not in log.read_text()
    assert "forbidden" not in log.read_text()


class Balloon:
    """One, as it is followed from its creation on."""

    def __init__(self, wire: Wire, name: str, **spec: object) -> None:
        self.wire, self.path = wire, f"{BALLOONS}/{name}"
        revision = wire.get(BALLOONS)["metadata"]["resourceVersion"]
        self.events: Stream = wire.watch(BALLOONS, resourceVersion=revision, fieldSelector=f"metadata.name={name}")
        wire.create(BALLOONS, body(name, **spec))

    def close(self) -> None:
        self.events.__exit__()

    def until(self, holds: Callable[[Object], bool]) -> Object:
        """The object, once something holds of it."""
        return self.events.until(lambda event: holds(event["object"]))[-1]["object"]

    def floats(self) -> Object:
        return self.until(lambda obj: obj.get("status", {}).get("phase") == "Floating")


@pytest.fixture
def balloon(wire: Wire) -> Iterator[Callable[..., Balloon]]:
    """Makes balloons, which are followed for as long as the test lasts."""
    with ExitStack() as made:
        yield lambda name, **spec: made.enter_context(closing(Balloon(wire, name, **spec)))


def test_it_makes_children_writes_the_status_and_holds_on_to_its_object(wire: Wire, operator: Path, balloon: Callable[..., Balloon]):
    obj = balloon("one").floats()
    assert obj["metadata"]["finalizers"] == ["party.example.com/let-go"]
    assert obj["status"]["inflate"] == {"child": "one-string"}
    assert obj["metadata"]["generation"] == 1, "neither finalizers nor the status are what is wanted of it"
    child = wire.get(f"{MAPS}/one-string")
    assert child["data"] == {"colour": "red", "strings": "1"}
    (owner,) = child["metadata"]["ownerReferences"]
    assert (owner["kind"], owner["name"], owner["uid"], owner["controller"]) == ("Balloon", "one", obj["metadata"]["uid"], True)
    with wire.watch("/api/v1/namespaces/default/events", fieldSelector="involvedObject.name=one") as events:
        told = events.until(lambda event: event["object"]["reason"] == "Inflated")[-1]["object"]
    assert (told["message"], told["involvedObject"]["uid"]) == ("it floats", obj["metadata"]["uid"])


def test_it_follows_changes(wire: Wire, operator: Path, balloon: Callable[..., Balloon]):
    followed = balloon("two")
    followed.floats()
    wire.patch(followed.path, {"spec": {"colour": "green", "strings": 2}})
    followed.until(lambda obj: obj["status"]["phase"] == "Repainted")
    assert wire.get(f"{MAPS}/two-string")["data"] == {"colour": "green", "strings": "2"}
    wire.patch(followed.path, {"spec": {"colour": "invisible"}})
    with wire.watch("/api/v1/namespaces/default/events", fieldSelector="involvedObject.name=two,type=Error") as events:
        events.until(lambda event: "nobody could see it" in event["object"]["message"])
    assert wire.get(f"{MAPS}/two-string")["data"]["colour"] == "green"


def test_it_is_asked_before_its_object_goes_and_children_go_with_it(wire: Wire, operator: Path, balloon: Callable[..., Balloon]):
    followed = balloon("three")
    followed.floats()
    child = wire.get(f"{MAPS}/three-string")
    assert wire.delete(followed.path)["metadata"]["deletionTimestamp"]
    followed.events.until(lambda event: event["type"] == "DELETED")
    assert wire.get(f"{MAPS}/three-bang")["data"] == {"was": "deleted"}
    wire.gone(f"{MAPS}/three-string", child)


def test_it_takes_up_what_was_there_before_it_came(wire: Wire, operator: Path):
    with wire.watch(BALLOONS, fieldSelector="metadata.name=early") as events:
        events.until(lambda event: event["object"].get("status", {}).get("phase") == "Floating")
    assert wire.get(f"{MAPS}/early-string")["data"]["strings"] == "7"


def test_many_at_once_are_all_handled(wire: Wire, operator: Path, balloon: Callable[..., Balloon]):
    names = [f"many-{number}" for number in range(20)]
    for followed in [balloon(name) for name in names]:
        followed.floats()
    assert all(wire.get(f"{MAPS}/{name}-string")["metadata"]["ownerReferences"][0]["name"] == name for name in names)
