"""Pod: containers that run together on one node."""

from svcsim.kinds.core.pod_columns import POD_COLUMNS
from svcsim.kinds.core.pod_label_keys import merge_label_keys
from svcsim.kinds.core.pod_resize_rules import resize_changes
from svcsim.kinds.core.pod_rules import ephemeral_container_changes, pod_changes, pod_rules, rules_of_new
from svcsim.kinds.core.pod_status import POD_STATUS
from svcsim.kinds.core.pod_status_rules import status_changes
from svcsim.kinds.core.pod_strategy import fill, grace, initial_status, keep_unsaid
from svcsim.kinds.core.pod_subresource_strategy import resize
from svcsim.kinds.core.pod_subresources import (
    ATTACH,
    BINDING_SUBRESOURCE,
    EVICTION,
    EXEC,
    LOG,
    PORT_FORWARD,
    PROXY,
    RESIZABLE,
)
from svcsim.kinds.groups import CORE_V1
from svcsim.kinds.shared.pod_spec.spec import POD_SPEC
from svcsim.kinds.shared.pod_spec.warnings import name_warnings, warnings_of
from svcsim.registry.kind import Kind, Selectable, Status, Strategy, Subresource, status_subresource
from svcsim.schema.types import Field, Struct

POD = Kind(
    CORE_V1,
    "pods",
    Struct(
        "Pod",
        Field(2, "spec", POD_SPEC, "Desired state of the pod", default={}),
        Field(3, "status", POD_STATUS, "Current state of the pod", default={}),
        doc="Containers that run together on one node and share its network address and volumes",
    ),
    short=("po",),
    categories=("all",),
    columns=POD_COLUMNS,
    selectable=(
        Selectable("spec.nodeName"),
        Selectable("spec.restartPolicy"),
        Selectable("spec.schedulerName"),
        Selectable("spec.serviceAccountName"),
        Selectable("spec.hostNetwork", "false"),
        Selectable("status.phase"),
        Selectable("status.podIP"),
        Selectable("status.nominatedNodeName"),
    ),
    status=Status(
        subresource=status_subresource(
            "metadata.deletionTimestamp", "metadata.ownerReferences", update_rules=(status_changes,), update=keep_unsaid
        ),
        initial=initial_status,
    ),
    subresources=(
        ATTACH,
        BINDING_SUBRESOURCE,
        Subresource("ephemeralcontainers", writes=("spec.ephemeralContainers",), update_rules=(ephemeral_container_changes,)),
        EVICTION,
        EXEC,
        LOG,
        PORT_FORWARD,
        PROXY,
        Subresource("resize", writes=RESIZABLE, merge=resize, update_rules=(resize_changes,)),
    ),
    strategy=Strategy(
        fill=fill,
        create=merge_label_keys,
        rules=(pod_rules,),
        warnings=(name_warnings, warnings_of("spec")),
        create_rules=(rules_of_new,),
        update_rules=(pod_changes,),
        grace=grace,
    ),
    deletes_to_object=True,
)
