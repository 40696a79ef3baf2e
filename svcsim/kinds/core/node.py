"""Node: a machine that pods run on."""

from collections.abc import Iterator

from svcsim.kinds.groups import CORE_V1
from svcsim.kinds.shared.checks import label_key, not_negative_amount, one_of
from svcsim.kinds.shared.columns import AGE, NONE, UNKNOWN, joined, text_at
from svcsim.kinds.shared.references import RESOURCE_LIST, STRINGS
from svcsim.meta.errors import FieldError, forbidden_field, invalid_value
from svcsim.meta.names import label_value
from svcsim.meta.objects import condition, get_path, labels_of
from svcsim.meta.types import Json, Object
from svcsim.registry.kind import STATUS, Column, Context, Kind, Selectable, Strategy
from svcsim.schema.types import Bool, Field, Int, List, Map, Quantity, Str, Struct, Time

_EFFECT = one_of("NoSchedule", "PreferNoSchedule", "NoExecute")


def _taint_value(value: Json, path: str) -> Iterator[FieldError]:
    if findings := label_value(value):
        yield invalid_value(path, value, ";".join(findings))


def _each_taint_once(taints: Json, path: str) -> Iterator[FieldError]:
    seen: set[tuple[str, str]] = set()
    for index, taint in enumerate(taints):
        identity = (taint.get("key") or "", taint.get("effect") or "")
        if identity in seen:
            told = f'Duplicate value: {{"key":"{identity[0]}","effect":"{identity[1]}"}}: taints must be unique by key and effect pair'
            yield FieldError("FieldValueDuplicate", f"{path}[{index}]", told)
        seen.add(identity)


TAINT = Struct(
    "Taint",
    Field(1, "key", Str(), "The taint's key", required=True, rules=(label_key,)),
    Field(2, "value", Str(), "The taint's value", rules=(_taint_value,)),
    Field(3, "effect", Str(), "NoSchedule, PreferNoSchedule or NoExecute", required=True, rules=(_EFFECT,)),
    Field(4, "timeAdded", Time(), "When it was added"),
    doc="Keeps pods away that don't bear it",
)
_CONFIG_MAP_NODE_CONFIG_SOURCE = Struct(
    "ConfigMapNodeConfigSource",
    Field(1, "namespace", Str(), "Namespace of the ConfigMap", required=True),
    Field(2, "name", Str(), "Name of the ConfigMap", required=True),
    Field(3, "uid", Str(), "UID of the ConfigMap"),
    Field(4, "resourceVersion", Str(), "Version of the ConfigMap"),
    Field(5, "kubeletConfigKey", Str(), "The key that holds the configuration", required=True),
    doc="A ConfigMap with the node agent's configuration (no longer used)",
)
_NODE_CONFIG_SOURCE = Struct(
    "NodeConfigSource",
    Field(2, "configMap", _CONFIG_MAP_NODE_CONFIG_SOURCE, "A ConfigMap"),
    doc="Where a node agent's configuration came from (no longer used)",
)
_SPEC = Struct(
    "NodeSpec",
    Field(1, "podCIDR", Str(), "The network its pods get addresses from"),
    Field(7, "podCIDRs", List(Str(), kind="set"), "All such networks, one for each IP family", patch="merge"),
    Field(3, "providerID", Str(), "The machine's id at its provider"),
    Field(4, "unschedulable", Bool(), "Whether no new pods are placed on it", presence=False),
    Field(5, "taints", List(TAINT, kind="atomic"), "What keeps pods away", rules=(_each_taint_once,)),
    Field(6, "configSource", _NODE_CONFIG_SOURCE, "No longer used"),
    Field(2, "externalID", Str(), "No longer used"),
    doc="What a node is to be",
)
_CONDITION = Struct(
    "NodeCondition",
    Field(1, "type", Str(), "Ready, MemoryPressure, DiskPressure, PIDPressure, …", required=True, default=""),
    Field(2, "status", Str(), "True, False or Unknown", required=True, default=""),
    Field(3, "lastHeartbeatTime", Time(), "When the node last told it"),
    Field(4, "lastTransitionTime", Time(), "When the status last changed"),
    Field(5, "reason", Str(), "Why, in one CamelCase word"),
    Field(6, "message", Str(), "Why, in a sentence"),
    doc="One aspect of a node's state",
)
_ADDRESS = Struct(
    "NodeAddress",
    Field(1, "type", Str(), "Hostname, InternalIP, ExternalIP, InternalDNS or ExternalDNS", required=True, default=""),
    Field(2, "address", Str(), "The address", required=True, default=""),
    doc="An address of a node",
)
_DAEMON_ENDPOINTS = Struct(
    "NodeDaemonEndpoints",
    Field(
        1,
        "kubeletEndpoint",
        Struct("DaemonEndpoint", Field(1, "Port", Int(), "The port", required=True), doc="Where a daemon listens"),
        "Where the node agent listens",
        default={},
    ),
    doc="Where the node's daemons listen",
)
_SWAP = Struct("NodeSwapStatus", Field(1, "capacity", Int(bits=64), "Bytes of swap"), doc="Swap of a node")


def _info(number: int, name: str, doc: str) -> Field:
    return Field(number, name, Str(), doc, required=True, default="")


_SYSTEM_INFO = Struct(
    "NodeSystemInfo",
    _info(1, "machineID", "Id of the machine"),
    _info(2, "systemUUID", "UUID of the machine"),
    _info(3, "bootID", "Id of the boot"),
    _info(4, "kernelVersion", "Version of the kernel"),
    _info(5, "osImage", "Name and version of the operating system"),
    _info(6, "containerRuntimeVersion", "Container runtime and version, as name://version"),
    _info(7, "kubeletVersion", "Version of the node agent"),
    _info(8, "kubeProxyVersion", "No longer used"),
    _info(9, "operatingSystem", "linux or windows"),
    _info(10, "architecture", "Architecture of the processor"),
    Field(11, "swap", _SWAP, "Swap of the node"),
    doc="Ids and versions of a node",
)
_IMAGE = Struct(
    "ContainerImage",
    Field(1, "names", STRINGS, "Names it is known by"),
    Field(2, "sizeBytes", Int(bits=64), "Its size"),
    doc="An image on a node",
)
_ATTACHED_VOLUME = Struct(
    "AttachedVolume",
    Field(1, "name", Str(), "Name of the volume", required=True, default=""),
    Field(2, "devicePath", Str(), "Where its device is", required=True, default=""),
    doc="A volume attached to a node",
)
_CONFIG_STATUS = Struct(
    "NodeConfigStatus",
    Field(1, "assigned", _NODE_CONFIG_SOURCE, "What the node is to use"),
    Field(2, "active", _NODE_CONFIG_SOURCE, "What the node uses"),
    Field(3, "lastKnownGood", _NODE_CONFIG_SOURCE, "What the node falls back on"),
    Field(4, "error", Str(), "What went wrong"),
    doc="State of a node agent's configuration (no longer used)",
)
_RUNTIME_HANDLER = Struct(
    "NodeRuntimeHandler",
    Field(1, "name", Str(), "Name of the handler; empty for the default one"),
    Field(
        2,
        "features",
        Struct(
            "NodeRuntimeHandlerFeatures",
            Field(1, "recursiveReadOnlyMounts", Bool(), "Whether mounts below read-only ones can be read-only too"),
            Field(2, "userNamespaces", Bool(), "Whether user namespaces are supported"),
            doc="What a runtime handler can do",
        ),
        "What it can do",
    ),
    doc="A runtime handler of a node",
)
_FEATURES = Struct(
    "NodeFeatures",
    Field(1, "supplementalGroupsPolicy", Bool(), "Whether supplementalGroupsPolicy is supported"),
    doc="What a node's container runtime can do",
)


def _fill_status(status: Object) -> None:
    """All there is can be given away, unless it is said otherwise."""
    if status.get("capacity") and not status.get("allocatable"):
        status["allocatable"] = dict(status["capacity"])


_AMOUNTS = Map(Quantity(rules=(not_negative_amount,)))
_STATUS = Struct(
    "NodeStatus",
    Field(1, "capacity", _AMOUNTS, "All it has"),
    Field(2, "allocatable", RESOURCE_LIST, "What it has for pods; the capacity if unset"),
    Field(3, "phase", Str(), "No longer used"),
    Field(4, "conditions", List(_CONDITION, kind="map", keys=("type",), merge_key="type", unique=False), "Aspects of its state"),
    Field(5, "addresses", List(_ADDRESS, kind="map", keys=("type",), merge_key="type", unique=False), "Its addresses"),
    Field(6, "daemonEndpoints", _DAEMON_ENDPOINTS, "Where its daemons listen", default={}),
    Field(7, "nodeInfo", _SYSTEM_INFO, "Its ids and versions", default={}),
    Field(8, "images", List(_IMAGE, kind="atomic"), "Images that lie on it"),
    Field(9, "volumesInUse", STRINGS, "Attached volumes that are mounted"),
    Field(10, "volumesAttached", List(_ATTACHED_VOLUME, kind="atomic"), "Volumes attached to it"),
    Field(11, "config", _CONFIG_STATUS, "No longer used"),
    Field(12, "runtimeHandlers", List(_RUNTIME_HANDLER, kind="atomic"), "Its runtime handlers"),
    Field(13, "features", _FEATURES, "What its container runtime can do"),
    Field(14, "declaredFeatures", STRINGS, "Features it says it has"),
    fill=_fill_status,
    doc="How a node is",
)


def _changes(new: Object, old: Object, context: Context) -> Iterator[FieldError]:  # noqa: ARG001 - a rule's signature
    spec, before = new.get("spec") or {}, old.get("spec") or {}
    if before.get("providerID") and spec.get("providerID") != before["providerID"]:
        yield forbidden_field("spec.providerID", 'node updates may not change providerID except from "" to valid')
    if before.get("podCIDRs") and spec.get("podCIDRs") != before["podCIDRs"]:
        yield forbidden_field("spec.podCIDRs", 'node updates may not change podCIDR except from "" to valid')
    if spec.get("externalID") and spec.get("externalID") != before.get("externalID"):
        yield forbidden_field(
            "[]",
            "node updates may only change labels, taints, or capacity "
            "(or configSource, if the DynamicKubeletConfig feature gate is enabled)",
        )


def _pod_networks(obj: Object, context: Context) -> None:  # noqa: ARG001 - a hook's signature
    """The single network and the list of networks say the same."""
    spec = obj.get("spec") or {}
    if spec.get("podCIDR") and not spec.get("podCIDRs"):
        spec["podCIDRs"] = [spec["podCIDR"]]
    elif spec.get("podCIDRs") and not spec.get("podCIDR"):
        spec["podCIDR"] = spec["podCIDRs"][0]


def _networks_agree(obj: Object, context: Context) -> Iterator[FieldError]:  # noqa: ARG001 - a rule's signature
    spec = obj.get("spec") or {}
    networks = spec.get("podCIDRs") or []
    if spec.get("podCIDR") and networks and networks[0] != spec["podCIDR"]:
        yield invalid_value("spec.podCIDR", spec["podCIDR"], "must be the first of podCIDRs")
    if len(networks) > 2:
        yield invalid_value("spec.podCIDRs", networks, "may specify no more than one CIDR for each IP family")


def _status_text(obj: Object, context: Context) -> Json:  # noqa: ARG001 - a cell's signature
    ready = condition(obj, "Ready")
    text = "Unknown" if ready is None else "Ready" if ready.get("status") == "True" else "NotReady"
    return f"{text},SchedulingDisabled" if get_path(obj, "spec.unschedulable") else text


def _roles(obj: Object, context: Context) -> Json:
    prefix, single = context.dialect.key("", "node-role"), context.dialect.key("role")
    roles = {key.removeprefix(prefix) for key in labels_of(obj) if key.startswith(prefix)} | {labels_of(obj).get(single, "")}
    return joined(sorted(roles - {""}))


def _address(kind: str, name: str) -> Column:
    def cell(obj: Object, context: Context) -> Json:  # noqa: ARG001 - a cell's signature
        addresses = get_path(obj, "status.addresses") or ()
        return next((item.get("address", "") for item in addresses if item.get("type") == kind), NONE)

    return Column(name, cell, priority=1, doc=f"Its first address of type {kind}")


def _system(name: str, field: str, doc: str) -> Column:
    return Column(name, text_at(f"status.nodeInfo.{field}", UNKNOWN), priority=1, doc=doc)


NODE = Kind(
    "Node",
    CORE_V1,
    "nodes",
    Struct(
        "Node",
        Field(2, "spec", _SPEC, "What the node is to be", default={}),
        Field(3, "status", _STATUS, "How the node is", default={}),
        doc="A machine that pods run on",
    ),
    short=("no",),
    singular="node",
    namespaced=False,
    columns=(
        Column("Status", _status_text, doc="Whether it is ready, and takes new pods"),
        Column("Roles", _roles, doc="Its roles, from its labels"),
        AGE,
        Column("Version", text_at("status.nodeInfo.kubeletVersion"), doc="Version of its node agent"),
        _address("InternalIP", "Internal-IP"),
        _address("ExternalIP", "External-IP"),
        _system("OS-Image", "osImage", "Its operating system"),
        _system("Kernel-Version", "kernelVersion", "Its kernel"),
        _system("Container-Runtime", "containerRuntimeVersion", "Its container runtime"),
    ),
    selectable=(Selectable("spec.unschedulable", "false"),),
    subresources=(STATUS,),
    strategy=Strategy(fill=_pod_networks, rules=(_networks_agree,), update_rules=(_changes,)),
    status_on_create=True,
    doc="A machine that pods run on",
)
