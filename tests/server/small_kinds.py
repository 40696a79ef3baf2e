"""A few kinds that between them have all that the server cares about."""

from svcsim.meta.types import Json, Object
from svcsim.registry.kind import STATUS, Column, Context, Group, Kind, Selectable, Subresource
from svcsim.schema.types import Field, Int, Map, Str, Struct

CORE = Group("", "v1")
APPS = Group("apps", "v1")


def _entries(obj: Object, context: Context) -> Json:
    return len(obj.get("data") or {})


NAMESPACE = Kind("Namespace", CORE, "namespaces", Struct("Namespace"), short=("ns",), namespaced=False, subresources=(STATUS,))

CONFIG_MAP = Kind(
    "ConfigMap",
    CORE,
    "configmaps",
    Struct("ConfigMap", Field(2, "data", Map(Str()), "Configuration data")),
    short=("cm",),
    columns=(Column("Data", _entries, "integer", doc="Entries"), Column("Wide", lambda _obj, _context: "w", priority=1)),
)

POD = Kind(
    "Pod",
    CORE,
    "pods",
    Struct(
        "Pod",
        Field(2, "spec", Struct("PodSpec", Field(10, "nodeName", Str()))),
        Field(3, "status", Struct("PodStatus", Field(1, "phase", Str()))),
    ),
    short=("po",),
    categories=("all",),
    selectable=(Selectable("spec.nodeName"),),
    subresources=(STATUS, Subresource("log", ("get",), connect=True)),
)

DEPLOYMENT = Kind(
    "Deployment",
    APPS,
    "deployments",
    Struct(
        "Deployment",
        Field(2, "spec", Struct("DeploymentSpec", Field(1, "replicas", Int()))),
        Field(3, "status", Struct("DeploymentStatus", Field(2, "replicas", Int()))),
    ),
    short=("deploy",),
    categories=("all",),
    subresources=(STATUS,),
    generation=True,
)

LEASE = Kind(
    "Lease",
    Group("coordination", "v1", suffixed=True),
    "leases",
    Struct("Lease", Field(2, "spec", Struct("LeaseSpec", Field(1, "holderIdentity", Str())))),
    verbs=("create", "get", "list"),
)

KINDS = (NAMESPACE, CONFIG_MAP, POD, DEPLOYMENT, LEASE)
