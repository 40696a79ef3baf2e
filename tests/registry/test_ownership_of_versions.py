"""Who owns what of an object that is written in another version than the stored one: what it really has, and nothing else."""

import json

import pytest

from svcsim.meta.types import Object
from tests.registry.asking import asking
from tests.registry.test_subresources import applied, owned

AUTOSCALER: Object = {
    "apiVersion": "autoscaling/v1",
    "kind": "HorizontalPodAutoscaler",
    "metadata": {"name": "web"},
    "spec": {"maxReplicas": 3, "scaleTargetRef": {"kind": "Deployment", "name": "web"}, "targetCPUUtilizationPercentage": 50},
}
CONDITION = {"type": "AbleToScale", "status": "True"}
METRIC = {"type": "Pods", "pods": {"metricName": "hits", "targetAverageValue": "5"}}


def autoscalers_of(asked):
    clients = asked.cluster.client("test")
    return [clients.resource(f"autoscaling/{version}", "horizontalpodautoscalers", "default") for version in ("v1", "v2")]


def annotated(asked, name: str, *values: Object) -> Object:
    """A change of the annotation that carries this in version 1."""
    return {"metadata": {"annotations": {asked.cluster.dialect.key(name, "autoscaling.alpha"): json.dumps(values)}}}


@pytest.mark.virtual_time
async def test_what_is_lost_on_the_way_to_the_stored_version_is_no_write_and_nobodys():
    async with asking() as asked:
        v1, _ = autoscalers_of(asked)
        made = await v1.create(AUTOSCALER)
        for manager in ("one", "two"):
            for name in ("conditions", "current-metrics"):
                assert await v1.patch("web", annotated(asked, name), field_manager=manager) == made
                assert await v1.patch("web", annotated(asked, name), field_manager=manager, subresource="status") == made
        assert owned(made, "one") == []


@pytest.mark.virtual_time
async def test_who_creates_owns_nothing_that_is_lost_on_the_way():
    async with asking() as asked:
        v1, _ = autoscalers_of(asked)
        metadata = {**AUTOSCALER["metadata"], **annotated(asked, "conditions", CONDITION)["metadata"]}
        made = await v1.create({**AUTOSCALER, "metadata": metadata})
        assert "annotations" not in made["metadata"]
        assert not any(path.startswith("metadata") for path in owned(made, "test"))
        assert "spec.targetCPUUtilizationPercentage" in owned(made, "test")


@pytest.mark.virtual_time
async def test_what_is_reset_in_the_stored_version_stays_its_owners():
    async with asking() as asked:
        v1, v2 = autoscalers_of(asked)
        await v1.create(AUTOSCALER)
        await v1.patch("web", annotated(asked, "conditions", CONDITION), field_manager="keeper", subresource="status")
        before = await v1.get("web")
        assert (await v2.get("web"))["status"]["conditions"] == [CONDITION]
        kept = owned(before, "keeper")
        assert any("conditions" in path for path in kept)
        other = annotated(asked, "conditions", {**CONDITION, "status": "False"})
        assert await v1.patch("web", other, field_manager="one") == before
        assert owned(before, "keeper") == kept
        metrics = await v1.patch("web", annotated(asked, "metrics", METRIC), field_manager="two")
        assert any("metrics" in path for path in owned(metrics, "two"))
        less = annotated(asked, "metrics", {**METRIC, "pods": {**METRIC["pods"], "targetAverageValue": "7"}})
        assert await v1.patch("web", less, field_manager="one", subresource="status") == metrics


@pytest.mark.virtual_time
async def test_an_applier_owns_nothing_that_the_object_does_not_have():
    async with asking() as asked:
        v1, _ = autoscalers_of(asked)
        made = await v1.create(AUTOSCALER)
        config = {**AUTOSCALER, "metadata": {"name": "web", **annotated(asked, "conditions", CONDITION)["metadata"]}}
        for _ in range(2):
            after = await applied(asked.cluster, config, "horizontalpodautoscalers", "one", force=True)
        assert after["spec"] == made["spec"]
        assert "annotations" not in after["metadata"]
        assert not any(path.startswith("metadata") for path in owned(after, "one"))
        assert "spec.maxReplicas" in owned(after, "one")


@pytest.mark.virtual_time
@pytest.mark.parametrize("force", [True, False])
@pytest.mark.parametrize("status", ["True", "False"])
async def test_an_applier_neither_takes_nor_shares_nor_fights_over_an_annotation_that_carries_a_status(force: bool, status: str):
    async with asking() as asked:
        v1, _ = autoscalers_of(asked)
        await v1.create(AUTOSCALER)
        before = await v1.patch("web", annotated(asked, "conditions", CONDITION), field_manager="keeper", subresource="status")
        carrying = annotated(asked, "conditions", {**CONDITION, "status": status})["metadata"]
        config = {**AUTOSCALER, "metadata": {"name": "web", **carrying}}
        after = await applied(asked.cluster, config, "horizontalpodautoscalers", "one", force=force)
        assert after["metadata"]["annotations"] == before["metadata"]["annotations"]
        assert not any("annotations" in path for path in owned(after, "one"))
        assert "spec.maxReplicas" in owned(after, "one")
        assert owned(after, "keeper") == owned(before, "keeper") != []


@pytest.mark.virtual_time
async def test_an_applier_of_a_status_takes_no_annotation_that_carries_a_spec():
    async with asking() as asked:
        v1, _ = autoscalers_of(asked)
        await v1.create(AUTOSCALER)
        before = await v1.patch("web", annotated(asked, "metrics", METRIC), field_manager="keeper")
        less = annotated(asked, "metrics", {**METRIC, "pods": {**METRIC["pods"], "targetAverageValue": "7"}})["metadata"]
        config = {**AUTOSCALER, "metadata": {"name": "web", **less}, "status": {"desiredReplicas": 2, "currentReplicas": 1}}
        after = await applied(asked.cluster, config, "horizontalpodautoscalers", "one", "status", force=True)
        assert after["metadata"]["annotations"] == before["metadata"]["annotations"]
        assert owned(after, "one") == ["status.currentReplicas", "status.desiredReplicas"]
        assert owned(after, "keeper") == owned(before, "keeper") != []


@pytest.mark.virtual_time
@pytest.mark.parametrize("verb", ["apply", "update"])
async def test_a_status_that_is_reset_is_taken_from_nobody_who_owns_it_in_another_version(verb: str):
    async with asking() as asked:
        v1, v2 = autoscalers_of(asked)
        await v1.create(AUTOSCALER)
        before = await v1.patch("web", annotated(asked, "conditions", CONDITION), field_manager="keeper", subresource="status")
        current = await v2.get("web")
        other = {"conditions": [{**CONDITION, "status": "False"}]}
        if verb == "apply":
            spec = {"maxReplicas": 5, "scaleTargetRef": current["spec"]["scaleTargetRef"]}
            config = {"apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler", "metadata": {"name": "web"}, "spec": spec}
            await applied(asked.cluster, {**config, "status": other}, "horizontalpodautoscalers", "one", force=True)
        else:
            await v2.update({**current, "spec": {**current["spec"], "maxReplicas": 5}, "status": {**current["status"], **other}})
        after = await v1.get("web")
        assert after["spec"]["maxReplicas"] == 5
        assert after["metadata"]["annotations"] == before["metadata"]["annotations"]
        assert owned(after, "keeper") == owned(before, "keeper") != []
