"""CSIDriver: what the cluster has to know of a CSI driver."""

from svcsim.kinds.groups import STORAGE_V1
from svcsim.kinds.shared.columns import AGE
from svcsim.kinds.shared.pod_spec.volume_rules import token_lifetime
from svcsim.kinds.shared.words import FS_GROUP_POLICY, VOLUME_LIFECYCLE_MODE
from svcsim.kinds.storage.csi_driver_columns import flag, modes, token_requests
from svcsim.kinds.storage.csi_driver_rules import (
    audiences_differ,
    csi_driver_changes,
    fs_group_policies,
    lifecycle_modes,
    update_period,
)
from svcsim.kinds.storage.csi_driver_strategy import count_changes
from svcsim.registry.kind import Column, Kind, Strategy
from svcsim.schema.types import Bool, Field, Int, List, Str, Struct

_TOKEN_REQUEST = Struct(
    "TokenRequest",
    Field(1, "audience", Str(), "Audience of the token; the API server if empty", required=True, default=""),
    Field(2, "expirationSeconds", Int(bits=64), "Seconds for which the token is valid", rules=(token_lifetime,)),
    doc="A token of the pod's service account that the driver needs",
)
_SPEC = Struct(
    "CSIDriverSpec",
    Field(1, "attachRequired", Bool(), "Whether volumes have to be attached before they are mounted", default=True),
    Field(2, "podInfoOnMount", Bool(), "Whether the driver is told of the pod when it mounts a volume", default=False),
    Field(
        3,
        "volumeLifecycleModes",
        List(VOLUME_LIFECYCLE_MODE, list_type="set", unique=False),
        "Whether volumes outlive pods, are made for one, or either",
        default=["Persistent"],
        rules=(lifecycle_modes,),
    ),
    Field(4, "storageCapacity", Bool(), "Whether pods are scheduled by the room that the driver reports", default=False),
    Field(
        5,
        "fsGroupPolicy",
        FS_GROUP_POLICY,
        "Whether files of a volume are given to the group of the pod",
        default="ReadWriteOnceWithFSType",
        rules=(fs_group_policies,),
        presence=True,
    ),
    Field(
        6,
        "tokenRequests",
        List(_TOKEN_REQUEST, list_type="atomic"),
        "Tokens of the pod's service account that the driver needs",
        rules=(audiences_differ,),
    ),
    Field(7, "requiresRepublish", Bool(), "Whether volumes are published again and again", default=False),
    Field(8, "seLinuxMount", Bool(), "Whether the driver mounts volumes with a label for SELinux", default=False),
    Field(
        9,
        "nodeAllocatableUpdatePeriodSeconds",
        Int(bits=64),
        "Seconds after which a node asks again how many volumes it can have",
        rules=(update_period,),
    ),
    Field(10, "serviceAccountTokenInSecrets", Bool(), "Whether tokens are handed over with the secrets, and not with the attributes"),
    Field(
        11,
        "preventPodSchedulingIfMissing",
        Bool(),
        "Whether pods with volumes of the driver are kept from nodes that don't have it",
    ),
    doc="What the driver can do, and what it needs",
)
CSI_DRIVER = Kind(
    STORAGE_V1,
    "csidrivers",
    Struct(
        "CSIDriver",
        Field(2, "spec", _SPEC, "What the driver can do, and what it needs", required=True, default={}),
        doc="What the cluster has to know of a CSI driver of that name",
    ),
    namespaced=False,
    columns=(
        Column("AttachRequired", flag("attachRequired", usual=True), doc="Whether volumes have to be attached before they are mounted"),
        Column("PodInfoOnMount", flag("podInfoOnMount"), doc="Whether the driver is told of the pod when it mounts a volume"),
        Column("StorageCapacity", flag("storageCapacity"), doc="Whether pods are scheduled by the room that the driver reports"),
        Column("TokenRequests", token_requests, doc="Audiences of the tokens that the driver needs"),
        Column("RequiresRepublish", flag("requiresRepublish"), doc="Whether volumes are published again and again"),
        Column("Modes", modes, doc="Whether volumes outlive pods, or are made for one"),
        AGE,
    ),
    strategy=Strategy(update=count_changes, update_rules=(csi_driver_changes,)),
    unconditional_update=False,
    deletes_to_object=True,
)
