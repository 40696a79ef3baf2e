"""What a pod's label keys mean is settled when it is made: it stands in the selectors of its terms."""

from svcsim.meta.types import Object
from tests.wire.raw import Wire

REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
TERM = {"topologyKey": "zone", "labelSelector": {"matchLabels": {"app": "m"}}, "matchLabelKeys": ["ver"]}
NARROWED = {**TERM, "labelSelector": {**TERM["labelSelector"], "matchExpressions": [{"key": "ver", "operator": "In", "values": ["1"]}]}}
SPREAD = {"maxSkew": 1, "whenUnsatisfiable": "DoNotSchedule"}


def _pod(**spec: object) -> Object:
    metadata = {"name": "p", "labels": {"app": "m", "ver": "1"}}
    spec = {"schedulerName": "nobody", "containers": [{"name": "c", "image": "i"}], **spec}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}


def _placed(term: Object) -> Object:
    return _pod(affinity={"podAntiAffinity": {REQUIRED: [term]}}, topologySpreadConstraints=[{**SPREAD, **term}])


def _terms(pod: Object) -> tuple[Object, Object]:
    return pod["spec"]["affinity"]["podAntiAffinity"][REQUIRED][0], pod["spec"]["topologySpreadConstraints"][0]


def test_selectors_have_what_the_keys_mean_however_a_pod_is_made(wire: Wire, ns: str) -> None:
    pods = f"/api/v1/namespaces/{ns}/pods"
    expected = NARROWED, {**SPREAD, **NARROWED}
    assert _terms(wire.create(pods, _placed(TERM), dryRun="All")) == expected
    assert _terms(wire.patch(f"{pods}/p", _placed(TERM), "application/apply-patch+yaml", fieldManager="me")) == expected
    wire.delete(f"{pods}/p", gracePeriodSeconds=0)
    assert _terms(wire.create(pods, _placed(TERM))) == expected
    relabelled = wire.patch(f"{pods}/p", {"metadata": {"labels": {"ver": "2"}}})
    assert relabelled["metadata"]["labels"]["ver"] == "2"
    assert _terms(relabelled) == expected
    assert _terms(wire.get(f"{pods}/p")) == expected


def test_a_key_that_the_selector_names_too_is_refused(wire: Wire, ns: str) -> None:
    refused = wire.ask("POST", f"/api/v1/namespaces/{ns}/pods", _placed({**TERM, "labelSelector": {"matchLabels": {"ver": "m"}}}))
    assert refused.status == 422
    why = 'Invalid value: "ver": exists in both matchLabelKeys and labelSelector'
    assert f"spec.affinity.podAntiAffinity.{REQUIRED}[0][0]: {why}" in refused.message
    assert f"spec.topologySpreadConstraints[0][0]: {why}" in refused.message
