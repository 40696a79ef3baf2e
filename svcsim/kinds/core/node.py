"""Node: a machine on which pods run. Its rules stand in `node_rules`."""

from svcsim.kinds.core.node_columns import address_column, roles, status_text, system_column
from svcsim.kinds.core.node_defaults import fill_pod_networks, fill_status
from svcsim.kinds.core.node_rules import each_taint_once, node_changes, node_rules, node_warnings, taint_value
from svcsim.kinds.groups import CORE_V1
from svcsim.kinds.shared.checks import label_key, one_of
from svcsim.kinds.shared.columns import AGE, text_at
from svcsim.kinds.shared.conditions import conditions
from svcsim.kinds.shared.proxy import proxy
from svcsim.kinds.shared.types import RESOURCE_LIST, STRINGS, map_list
from svcsim.kinds.shared.update_warnings import of_every_update
from svcsim.kinds.shared.words import NODE_PHASE, TAINT_EFFECT
from svcsim.registry.kind import Column, Kind, Selectable, Status, Strategy
from svcsim.schema.types import Bool, Field, Int, List, Str, Struct, Time

_EFFECT = one_of("NoSchedule", "PreferNoSchedule", "NoExecute")

TAINT = Struct(
    "Taint",
    Field(1, "key", Str(), "Key of the taint", required=True, rules=(label_key,)),
    Field(2, "value", Str(), "Value of the taint", rules=(taint_value,)),
    Field(
        3,
        "effect",
        TAINT_EFFECT,
        "Effect on pods that do not tolerate the taint",
        required=True,
        rules=(_EFFECT,),
    ),
    Field(4, "timeAdded", Time(), "When the taint was added"),
    doc="Keeps pods that do not tolerate it away from a node",
)
_CONFIG_MAP_NODE_CONFIG_SOURCE = Struct(
    "ConfigMapNodeConfigSource",
    Field(1, "namespace", Str(), "Namespace of the ConfigMap", required=True),
    Field(2, "name", Str(), "Name of the ConfigMap", required=True),
    Field(3, "uid", Str(), "UID of the ConfigMap"),
    Field(4, "resourceVersion", Str(), "Version of the ConfigMap"),
    Field(5, "kubeletConfigKey", Str(), "Key of the ConfigMap that holds the configuration", required=True),
    doc="A ConfigMap with the configuration of the node agent (no longer used)",
)
_NODE_CONFIG_SOURCE = Struct(
    "NodeConfigSource",
    Field(2, "configMap", _CONFIG_MAP_NODE_CONFIG_SOURCE, "The ConfigMap with the configuration"),
    doc="Source of the configuration of the node agent (no longer used)",
)
_SPEC = Struct(
    "NodeSpec",
    Field(1, "podCIDR", Str(), "Network from which pods on the node get their addresses"),
    Field(
        7,
        "podCIDRs",
        List(Str(), list_type="set"),
        "Networks from which pods on the node get their addresses, one for each IP family",
        patch="merge",
    ),
    Field(3, "providerID", Str(), "ID of the machine at its cloud provider"),
    Field(4, "unschedulable", Bool(), "Whether new pods are kept away from the node (cordoned)", presence=False),
    Field(5, "taints", List(TAINT, list_type="atomic"), "Taints of the node", rules=(each_taint_once,)),
    Field(6, "configSource", _NODE_CONFIG_SOURCE, "No longer used"),
    Field(2, "externalID", Str(), "No longer used"),
    doc="Desired state of a node",
)
_ADDRESS = Struct(
    "NodeAddress",
    Field(1, "type", Str(), "Type of the address: Hostname, InternalIP, ExternalIP, InternalDNS or ExternalDNS", required=True, default=""),
    Field(2, "address", Str(), "Address of the node", required=True, default=""),
    doc="An address of a node",
)
_DAEMON_ENDPOINTS = Struct(
    "NodeDaemonEndpoints",
    Field(
        1,
        "kubeletEndpoint",
        Struct("DaemonEndpoint", Field(1, "Port", Int(), "Port number", required=True), doc="Port of a daemon"),
        "Port of the node agent",
        default={},
    ),
    doc="Ports of the daemons on a node",
)
_SWAP = Struct("NodeSwapStatus", Field(1, "capacity", Int(bits=64), "Size of the swap memory in bytes"), doc="Swap memory of a node")
_SYSTEM_INFO = Struct(
    "NodeSystemInfo",
    *(
        Field(number, name, Str(), doc, required=True, default="")
        for number, name, doc in (
            (1, "machineID", "ID of the machine"),
            (2, "systemUUID", "UUID of the machine"),
            (3, "bootID", "ID of the current boot of the machine"),
            (4, "kernelVersion", "Version of the kernel"),
            (5, "osImage", "Name and version of the operating system"),
            (6, "containerRuntimeVersion", "Name and version of the container runtime, as name://version"),
            (7, "kubeletVersion", "Version of the node agent"),
            (8, "kubeProxyVersion", "No longer used"),
            (9, "operatingSystem", "Operating system: linux or windows"),
            (10, "architecture", "Processor architecture, such as amd64 or arm64"),
        )
    ),
    Field(11, "swap", _SWAP, "Swap memory of the node"),
    doc="IDs and software versions of a node",
)
_IMAGE = Struct(
    "ContainerImage",
    Field(1, "names", STRINGS, "Names of the image"),
    Field(2, "sizeBytes", Int(bits=64), "Size of the image in bytes", presence=False),
    doc="A container image that is present on a node",
)
_ATTACHED_VOLUME = Struct(
    "AttachedVolume",
    Field(1, "name", Str(), "Name of the volume", required=True, default=""),
    Field(2, "devicePath", Str(), "Path of the device", required=True, default=""),
    doc="A volume attached to a node",
)
_CONFIG_STATUS = Struct(
    "NodeConfigStatus",
    Field(1, "assigned", _NODE_CONFIG_SOURCE, "Configuration that the node should use"),
    Field(2, "active", _NODE_CONFIG_SOURCE, "Configuration that the node uses"),
    Field(3, "lastKnownGood", _NODE_CONFIG_SOURCE, "Configuration to which the node falls back"),
    Field(4, "error", Str(), "Problem with the assigned configuration"),
    doc="State of the configuration of the node agent (no longer used)",
)
_RUNTIME_HANDLER = Struct(
    "NodeRuntimeHandler",
    Field(1, "name", Str(), "Name of the runtime handler; empty for the default handler", default="", presence=True),
    Field(
        2,
        "features",
        Struct(
            "NodeRuntimeHandlerFeatures",
            Field(1, "recursiveReadOnlyMounts", Bool(), "Whether read-only mounts can be recursive"),
            Field(2, "userNamespaces", Bool(), "Whether user namespaces are supported"),
            doc="Features of a runtime handler",
        ),
        "Features that the handler supports",
    ),
    doc="A runtime handler of a node",
)
_FEATURES = Struct(
    "NodeFeatures",
    Field(1, "supplementalGroupsPolicy", Bool(), "Whether supplementalGroupsPolicy is supported"),
    doc="Features of the container runtime of a node",
)


_STATUS = Struct(
    "NodeStatus",
    Field(1, "capacity", RESOURCE_LIST, "Total amount of each resource"),
    Field(2, "allocatable", RESOURCE_LIST, "Amount of each resource that pods can request; the whole capacity if unset"),
    Field(3, "phase", NODE_PHASE, "No longer used"),
    Field(
        4,
        "conditions",
        conditions(
            "NodeCondition",
            "Ready, MemoryPressure, DiskPressure, PIDPressure or NetworkUnavailable",
            lastHeartbeatTime=3,
            lastTransitionTime=4,
            reason=5,
            message=6,
        ),
        "Current conditions of the node",
    ),
    Field(5, "addresses", map_list(_ADDRESS, "type"), "Addresses under which the node can be reached"),
    Field(6, "daemonEndpoints", _DAEMON_ENDPOINTS, "Ports of the daemons on the node", default={}),
    Field(7, "nodeInfo", _SYSTEM_INFO, "IDs and software versions of the node", default={}),
    Field(8, "images", List(_IMAGE, list_type="atomic"), "Container images that are present on the node"),
    Field(9, "volumesInUse", STRINGS, "Names of attached volumes that are mounted"),
    Field(10, "volumesAttached", List(_ATTACHED_VOLUME, list_type="atomic"), "Volumes that are attached to the node"),
    Field(11, "config", _CONFIG_STATUS, "No longer used"),
    Field(12, "runtimeHandlers", List(_RUNTIME_HANDLER, list_type="atomic"), "Runtime handlers that the node offers"),
    Field(13, "features", _FEATURES, "Features that the container runtime supports"),
    Field(14, "declaredFeatures", STRINGS, "Names of features that the node declares"),
    fill=fill_status,
    doc="Current state of a node",
)


NODE = Kind(
    CORE_V1,
    "nodes",
    Struct(
        "Node",
        Field(2, "spec", _SPEC, "Desired state of the node", default={}),
        Field(3, "status", _STATUS, "Current state of the node", default={}),
        doc="A machine on which pods run",
    ),
    short=("no",),
    namespaced=False,
    columns=(
        Column("Status", status_text, doc="Whether the node is ready, and whether it accepts new pods"),
        Column("Roles", roles, doc="Roles of the node, taken from its labels"),
        AGE,
        Column("Version", text_at("status.nodeInfo.kubeletVersion"), doc="Version of the node agent"),
        address_column("InternalIP", "Internal-IP"),
        address_column("ExternalIP", "External-IP"),
        system_column("OS-Image", "osImage", "Name and version of the operating system"),
        system_column("Kernel-Version", "kernelVersion", "Version of the kernel"),
        system_column("Container-Runtime", "containerRuntimeVersion", "Name and version of the container runtime"),
    ),
    selectable=(Selectable("spec.unschedulable", "false"),),
    status=Status(set_by_create=True),
    subresources=(proxy("NodeProxyOptions"),),
    strategy=Strategy(
        fill=fill_pod_networks,
        rules=(node_rules,),
        warnings=(node_warnings,),
        update_warnings=(of_every_update(node_warnings),),
        update_rules=(node_changes,),
    ),
    generation=False,
)
