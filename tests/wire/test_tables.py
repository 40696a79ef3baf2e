"""Tables of what is really served: which columns there are, of which type, and what stands in their cells."""

import pytest

from svcsim.meta.types import Object
from tests.wire.raw import Wire


def table(wire: Wire, path: str, **query: str) -> Object:
    answer = wire.ask("GET", path, headers={"Accept": f"application/json;as=Table;v=v1;g={wire.dialect.group('meta')}"}, **query)
    assert answer.status == 200, answer.body
    return answer.json


@pytest.fixture
def deployment(wire: Wire, ns: str) -> str:
    path = f"/apis/apps/v1/namespaces/{ns}/deployments"
    template = {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "a", "image": "b"}]}}
    spec = {"replicas": 0, "paused": True, "selector": {"matchLabels": {"a": "b"}}, "template": template}
    wire.create(path, {"metadata": {"name": "d"}, "spec": spec})
    return f"{path}/d"


def test_a_scale_has_columns_of_its_own(wire: Wire, deployment: str):
    shown = table(wire, f"{deployment}/scale")
    assert [(column["name"], column["type"]) for column in shown["columnDefinitions"]] == [
        ("Name", "string"),
        ("Desired", "integer"),
        ("Available", "integer"),
        ("Age", "string"),
    ]
    (row,) = shown["rows"]
    assert row["cells"][:3] == ["d", 0, 0]
    assert row["object"]["metadata"]["name"] == "d"


def test_a_status_has_the_columns_of_its_object(wire: Wire, deployment: str):
    assert table(wire, f"{deployment}/status")["columnDefinitions"] == table(wire, deployment)["columnDefinitions"]


def test_numbers_that_people_read_as_text_are_columns_of_text(wire: Wire, ns: str, deployment: str):
    def types(path: str) -> dict[str, str]:
        return {column["name"]: column["type"] for column in table(wire, path)["columnDefinitions"]}

    assert {name: types(deployment)[name] for name in ("Up-to-date", "Available")} == {"Up-to-date": "string", "Available": "string"}
    for plural in ("configmaps", "secrets"):
        assert types(f"/api/v1/namespaces/{ns}/{plural}")["Data"] == "string"
    assert types(f"/apis/apps/v1/namespaces/{ns}/replicasets")["Desired"] == "integer"


def test_a_row_without_its_object_says_so(wire: Wire, deployment: str):
    assert [row["object"] for row in table(wire, deployment, includeObject="None")["rows"]] == [None]
