"""Annotations in which a version carries what it has no fields for: anybody may write what they like into them."""

import pytest

from svcsim.meta.types import Json, Object
from tests.wire.raw import Wire

UNREADABLE = ("", "garbage", "{", "7", "null", "true", '""', "[7]", '[{"type": 7}]', '{"scaleUp": 7}')
OF_ANOTHER_SHAPE = {"behavior": ("[]", "[{}]"), "metrics": ("{}",), "current-metrics": ("{}",), "conditions": ("{}",)}


def autoscaler(name: str, annotations: Object) -> Object:
    spec: Json = {"scaleTargetRef": {"kind": "Deployment", "name": "web"}, "maxReplicas": 5}
    return {"metadata": {"name": name, "annotations": annotations}, "spec": spec}


@pytest.mark.parametrize("name", OF_ANOTHER_SHAPE)
def test_what_holds_nothing_of_an_autoscaler_is_let_go(wire: Wire, ns: str, name: str) -> None:
    path = f"/apis/autoscaling/v1/namespaces/{ns}/horizontalpodautoscalers"
    key = wire.dialect.key(name, "autoscaling.alpha")
    plain = wire.create(path, autoscaler("plain", {"mine": "kept"}))
    for number, text in enumerate((*UNREADABLE, *OF_ANOTHER_SHAPE[name])):
        made = wire.create(path, autoscaler(f"a{number}", {key: text, "mine": "kept"}))
        assert (made["metadata"]["annotations"], made["spec"], made["status"]) == ({"mine": "kept"}, plain["spec"], plain["status"])
        for place in (path, f"{path}/plain/status"):
            target = place if place.endswith("status") else f"{path}/a{number}"
            patched = wire.patch(target, {"metadata": {"annotations": {key: text}}})
            assert (patched["metadata"]["annotations"], patched["spec"]) == ({"mine": "kept"}, plain["spec"])
        replaced = wire.ask(
            "PUT", f"{path}/plain/status", {**plain, "metadata": autoscaler("plain", {key: text, "mine": "kept"})["metadata"]}
        )
        assert (replaced.status, replaced.json["metadata"]["annotations"]) == (200, {"mine": "kept"})
        newer = wire.get(f"/apis/autoscaling/v2/namespaces/{ns}/horizontalpodautoscalers/a{number}")
        assert "behavior" not in newer["spec"]
        assert newer["status"] == {"desiredReplicas": 0, "currentMetrics": None}
