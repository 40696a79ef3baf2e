"""How objects of the cluster's own are to be that somebody has changed: what is the cluster's is put right, and all else stays as it is.

Kubernetes' API server does this for itself, its Service's Endpoints and EndpointSlice, what it says of itself to servers behind it, and the
flow schemas and priority levels it starts with: those without which nothing works whatever they say, the others unless they say otherwise.
"""

from collections.abc import Callable
from typing import Final

from svcsim.cluster.flow_control import is_kept, is_mandatory
from svcsim.kinds.flowcontrol.fixed import EXEMPT
from svcsim.meta.codec import same_json
from svcsim.meta.objects import name_of
from svcsim.meta.types import Object


def put_right(plural: str, present: Object, wanted: Object, *, starting: bool = False) -> Object | None:
    """What is to be written, so that an object is as the cluster wants it; None if it is. ``starting`` is for what counts at a start."""
    change = _ALWAYS.get(plural) or (_AT_A_START.get(plural) if starting else None)
    right = present if change is None else change(present, wanted)
    return None if same_json(present, right) else right


def _endpoints(present: Object, wanted: Object) -> Object:
    labels = {**_labels(present), **_labels(wanted)}
    return {**present, "metadata": {**present["metadata"], "labels": labels}, "subsets": wanted["subsets"]}


def _endpoint_slice(present: Object, wanted: Object) -> Object:
    if present["addressType"] != wanted["addressType"]:
        return present  # no update changes that
    metadata = {**present["metadata"], "labels": _labels(wanted)}
    return {**present, "metadata": metadata, "endpoints": wanted["endpoints"], "ports": wanted["ports"]}


def _config_map(present: Object, wanted: Object) -> Object:
    return {**present, "data": {**(present.get("data") or {}), **wanted["data"]}}


def _service(present: Object, wanted: Object) -> Object:
    ours = {name: wanted["spec"][name] for name in ("type", "ports")}
    return {**present, "spec": {**present["spec"], **ours}}


def _share(present: Object, wanted: Object) -> Object:
    """One that doesn't say whether it is kept as it was made says so from now on."""
    [note] = wanted["metadata"]["annotations"]
    kept = is_mandatory(wanted) or is_kept(present, note)
    annotations = {**(present["metadata"].get("annotations") or {}), note: "true" if kept else "false"}
    lends = name_of(wanted) == EXEMPT and "exempt" in wanted["spec"]  # and that is everybody's to say
    spec = wanted["spec"] if kept and not lends else present["spec"]
    return {**present, "metadata": {**present["metadata"], "annotations": annotations}, "spec": spec}


def _labels(obj: Object) -> dict[str, str]:
    return obj["metadata"].get("labels") or {}


_Change = Callable[[Object, Object], Object]
"""How an object is to be, from how it is and how it was made."""
_ALWAYS: Final[dict[str, _Change]] = {
    "endpoints": _endpoints,
    "endpointslices": _endpoint_slice,
    "configmaps": _config_map,
    "prioritylevelconfigurations": _share,
    "flowschemas": _share,
}
_AT_A_START: Final[dict[str, _Change]] = {"services": _service}
