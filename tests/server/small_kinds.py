"""A few kinds that between them have all that the server cares about."""

from svcsim.meta.types import Json, Object
from svcsim.registry.kind import Column, Context, Deprecation, Group, Kind, Selectable, Status, Subresource
from svcsim.schema.types import Field, Int, List, Map, Str, Struct

CORE = Group("", "v1")
APPS = Group("apps", "v1")


def _entries(obj: Object, context: Context) -> Json:
    return len(obj.get("data") or {})


NAMESPACE = Kind(CORE, "namespaces", Struct("Namespace"), short=("ns",), namespaced=False, status=Status(), generation=False)

CONFIG_MAP = Kind(
    CORE,
    "configmaps",
    Struct("ConfigMap", Field(2, "data", Map(Str()), "Configuration data")),
    short=("cm",),
    columns=(Column("Data", _entries, "integer", doc="Entries"), Column("Wide", lambda _obj, _context: "w", priority=1)),
)

_CONTAINER = Struct("Container", Field(1, "name", Str()), Field(2, "image", Str()))


def _bind(stored: Object, sent: Object, context: Context) -> Object:
    return {**stored, "spec": {**stored.get("spec", {}), "nodeName": sent.get("target", {}).get("name", "")}}


_TARGET = Struct("ObjectReference", Field(3, "name", Str()))
BINDING = Subresource("binding", ("create",), kind="Binding", body=Struct("Binding", Field(2, "target", _TARGET)), merge=_bind)

POD = Kind(
    CORE,
    "pods",
    Struct(
        "Pod",
        Field(2, "spec", Struct("PodSpec", Field(10, "nodeName", Str()), Field(2, "containers", List(_CONTAINER, merge_key="name")))),
        Field(3, "status", Struct("PodStatus", Field(1, "phase", Str()))),
    ),
    short=("po",),
    categories=("all",),
    columns=(Column("Node", lambda obj, _context: obj.get("spec", {}).get("nodeName", "<none>")),),
    name_column=False,
    selectable=(Selectable("spec.nodeName"),),
    status=Status(),
    generation=False,
    subresources=(BINDING, Subresource("log", ("get",), handler="get")),
)

_SIZE = Struct("ScaleSpec", Field(1, "replicas", Int()))


def _size(stored: Object, context: Context) -> Object:
    metadata = {name: stored["metadata"][name] for name in ("name", "namespace", "uid", "resourceVersion")}
    return {"kind": "Scale", "apiVersion": "autoscaling/v1", "metadata": metadata, "spec": stored["spec"]}


def _resize(stored: Object, sent: Object, context: Context) -> Object:
    return {**stored, "spec": sent.get("spec", {})}


SCALE = Subresource(
    "scale",
    kind="Scale",
    group=Group("autoscaling", "v1"),
    body=Struct("Scale", Field(2, "spec", _SIZE)),
    view=_size,
    merge=_resize,
    applied=lambda sent: {"spec": sent.get("spec") or {}},
)

DEPLOYMENT = Kind(
    APPS,
    "deployments",
    Struct(
        "Deployment",
        Field(2, "spec", Struct("DeploymentSpec", Field(1, "replicas", Int())), default={}),
        Field(3, "status", Struct("DeploymentStatus", Field(2, "replicas", Int()))),
    ),
    short=("deploy",),
    categories=("all",),
    status=Status(),
    subresources=(SCALE,),
)

LEASE = Kind(
    Group("coordination", "v1", suffixed=True),
    "leases",
    Struct("Lease", Field(2, "spec", Struct("LeaseSpec", Field(1, "holderIdentity", Str())))),
    verbs=("create", "get", "list"),
    deprecated=Deprecation("1.30", Group("coordination", "v2", suffixed=True), "Lease"),
)

KINDS = (NAMESPACE, CONFIG_MAP, POD, DEPLOYMENT, LEASE)
