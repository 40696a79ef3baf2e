"""Somebody who asks again on the same connection is not judged anew, and yet nothing they have lost is theirs for one request more."""

import http.client
import json
from collections.abc import Iterator
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from svcsim.meta.types import Object
from tests.process import served
from tests.wire.granting import grant
from tests.wire.raw import Answer, Wire
from tests.wire.test_auth import issue

READ_MAPS: Object = {"apiGroups": [""], "resources": ["configmaps"], "verbs": ["get", "list"]}


class Client:
    """One connection, on which the same header lines come again and again."""

    def __init__(self, connection: http.client.HTTPSConnection, **headers: str) -> None:
        self._connection = connection
        self._headers = headers

    def get(self, path: str, **headers: str) -> Answer:
        self._connection.request("GET", path, headers={**self._headers, **headers})
        response = self._connection.getresponse()
        return Answer(response.status, {name.lower(): value for name, value in response.getheaders()}, response.read())


@pytest.fixture
def robot(wire: Wire, ns: str) -> Object:
    return wire.create(f"/api/v1/namespaces/{ns}/serviceaccounts", {"metadata": {"name": "robot"}})


@pytest.fixture
def client(wire: Wire, ns: str, robot: Object) -> Iterator[Client]:
    """The robot, with a token."""
    token = wire.create(f"/api/v1/namespaces/{ns}/serviceaccounts/robot/token", {"spec": {}})["status"]["token"]
    with closing(wire.connect()) as connection:
        yield Client(connection, Authorization=f"Bearer {token}")


def subject(ns: str) -> Object:
    return {"kind": "ServiceAccount", "name": "robot", "namespace": ns}


def statuses(client: Client, path: str, count: int = 3) -> list[int]:
    return [client.get(path).status for _ in range(count)]


def bindings(wire: Wire, ns: str) -> str:
    return f"/apis/{wire.dialect.group('rbac.authorization')}/v1/namespaces/{ns}/rolebindings"


def test_rights_come_and_go_between_two_requests(wire: Wire, ns: str, maps: str, client: Client) -> None:
    assert statuses(client, maps) == [403, 403, 403]
    for _ in range(3):
        grant(wire, subject(ns), READ_MAPS, namespace=ns)
        assert statuses(client, maps) == [200, 200, 200]
        assert wire.ask("DELETE", bindings(wire, ns)).status == 200
        assert statuses(client, maps) == [403, 403, 403]


def test_a_role_counts_as_it_is(wire: Wire, ns: str, maps: str, client: Client) -> None:
    grant(wire, subject(ns), READ_MAPS, namespace=ns)
    assert statuses(client, maps) == [200, 200, 200]
    role = wire.get(bindings(wire, ns))["items"][0]["roleRef"]["name"]
    path = f"/apis/{wire.dialect.group('rbac.authorization')}/v1/clusterroles/{role}"
    wire.ask("PATCH", path, {"rules": [{**READ_MAPS, "verbs": ["get"]}]}, content_type="application/merge-patch+json")
    assert statuses(client, maps) == [403, 403, 403]
    assert client.get(f"{maps}/none").status == 404, "which may be asked for"


def test_a_token_is_no_good_from_the_moment_its_account_goes(wire: Wire, ns: str, maps: str, client: Client) -> None:
    grant(wire, subject(ns), READ_MAPS, namespace=ns)
    assert statuses(client, maps) == [200, 200, 200]
    assert wire.ask("DELETE", f"/api/v1/namespaces/{ns}/serviceaccounts/robot").status == 200
    assert statuses(client, maps) == [401, 401, 401]
    wire.create(f"/api/v1/namespaces/{ns}/serviceaccounts", {"metadata": {"name": "robot"}})
    assert statuses(client, maps) == [401, 401, 401], "another account of its name"


def test_a_token_is_no_good_from_the_moment_what_it_is_bound_to_goes(wire: Wire, ns: str, maps: str, robot: Object) -> None:
    grant(wire, subject(ns), READ_MAPS, namespace=ns)
    secret = wire.create(f"/api/v1/namespaces/{ns}/secrets", {"metadata": {"name": "bound"}})
    to = {"kind": "Secret", "apiVersion": "v1", "name": "bound", "uid": secret["metadata"]["uid"]}
    path = f"/api/v1/namespaces/{ns}/serviceaccounts/robot/token"
    token = wire.create(path, {"spec": {"boundObjectRef": to}})["status"]["token"]
    with closing(wire.connect()) as connection:
        client = Client(connection, Authorization=f"Bearer {token}")
        assert statuses(client, maps) == [200, 200, 200]
        assert wire.ask("DELETE", f"/api/v1/namespaces/{ns}/secrets/bound").status == 200
        assert statuses(client, maps) == [401, 401, 401]


def test_who_asks_is_told_by_each_request(wire: Wire, ns: str, maps: str, client: Client) -> None:
    grant(wire, subject(ns), READ_MAPS, namespace=ns)
    administrator = f"Bearer {wire.token}"
    assert statuses(client, maps) == [200, 200, 200]
    assert client.get("/api/v1/nodes").status == 403
    assert client.get("/api/v1/nodes", Authorization=administrator).status == 200
    assert client.get("/api/v1/nodes").status == 403
    assert client.get("/api/v1/nodes", Authorization="Bearer none").status == 401
    assert client.get("/api/v1/nodes").status == 403


def test_whoever_borrows_a_name_is_somebody_else_for_that_request(wire: Wire, ns: str, maps: str) -> None:
    with closing(wire.connect()) as connection:
        client = Client(connection, Authorization=f"Bearer {wire.token}")
        assert statuses(client, maps) == [200, 200, 200]
        assert [client.get(maps, **{"Impersonate-User": "jane"}).status for _ in range(3)] == [403, 403, 403]
        grant(wire, {"kind": "User", "name": "jane", "apiGroup": wire.dialect.group("rbac.authorization")}, READ_MAPS, namespace=ns)
        assert [client.get(maps, **{"Impersonate-User": "jane"}).status for _ in range(2)] == [200, 200]
        assert wire.ask("DELETE", bindings(wire, ns)).status == 200
        assert client.get(maps, **{"Impersonate-User": "jane"}).status == 403
        assert statuses(client, maps) == [200, 200, 200]


def test_time_counts_with_each_request(tmp_path: Path) -> None:
    """A token and a certificate are good for ten minutes, on connections that outlive them."""
    with served(tmp_path / "home", "kubernetes", "--nodes", "0", "--clock", "paused") as server:
        wire = Wire(server)
        now = datetime.fromisoformat(wire.get("/api/v1/namespaces/default")["metadata"]["creationTimestamp"])
        tls = issue(server.pki, tmp_path, "jane", until=now + timedelta(minutes=10))
        account = "/api/v1/namespaces/default/serviceaccounts"
        wire.create(account, {"metadata": {"name": "robot"}})
        token = wire.create(f"{account}/robot/token", {"spec": {"expirationSeconds": 600}})["status"]["token"]
        with closing(wire.connect()) as one, closing(wire.connect(tls)) as other:
            clients = (Client(one, Authorization=f"Bearer {token}"), Client(other))
            for step_s, expected in ((0, 200), (540, 200), (150, 401)):
                assert not step_s or wire.ask("PUT", "/svcsim/v1/clock", {"step": step_s}).status == 200
                assert [statuses(client, "/apis") for client in clients] == [[expected] * 3] * 2
        wire.close()


def test_the_last_requests_tell_the_same_of_each(wire: Wire, ns: str, maps: str, client: Client) -> None:
    grant(wire, subject(ns), READ_MAPS, namespace=ns)
    assert statuses(client, maps) == [200, 200, 200]
    told = [json.loads(line) for line in wire.ask("GET", "/svcsim/v1/audit").body.splitlines()]
    mine = [entry for entry in told if entry.get("path") == maps and entry["code"] == 200]
    assert len(mine) == 3
    varying = ("number", "time", "seconds")
    assert len({json.dumps({name: value for name, value in entry.items() if name not in varying}) for entry in mine}) == 1
    assert mine[0]["user"] == f"system:serviceaccount:{ns}:robot"
    assert mine[0]["knownBy"] == "service account token"
    assert mine[0]["reason"].startswith("RBAC: allowed by RoleBinding")
