"""Strings that are one of a few words.

The words are told to clients, in documents and by explain. What refuses others are the rules of the fields: they differ in where a word may
stand, and in what they say.
"""

from svcsim.schema.types import List, Str


def one_of_words(*words: str) -> Str:
    """A string that is one of these."""
    return Str(values=words)


ACCESS_MODE_LIST = List(one_of_words("ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"), list_type="atomic")
ADDRESS_TYPE = one_of_words("FQDN", "IPv4", "IPv6")
AZURE_CACHING_MODE = one_of_words("None", "ReadOnly", "ReadWrite")
AZURE_DISK_KIND = one_of_words("Dedicated", "Managed", "Shared")
BINDING_MODE = one_of_words("Immediate", "WaitForFirstConsumer")
CLAIM_PHASE = one_of_words("Bound", "Lost", "Pending")
CLAIM_RETENTION = one_of_words("Delete", "Retain")
COMPLETION_MODE = one_of_words("Indexed", "NonIndexed")
CONCURRENCY_POLICY = one_of_words("Allow", "Forbid", "Replace")
CONDITION_STATUS = one_of_words("False", "True", "Unknown")
DAEMON_SET_UPDATE = one_of_words("OnDelete", "RollingUpdate")
DEPLOYMENT_STRATEGY_TYPE = one_of_words("Recreate", "RollingUpdate")
DNS_POLICY = one_of_words("ClusterFirst", "ClusterFirstWithHostNet", "Default", "None")
FLOW_DISTINGUISHER = one_of_words("ByNamespace", "ByUser")
FLOW_SUBJECT_KIND = one_of_words("Group", "ServiceAccount", "User")
FS_GROUP_POLICY = one_of_words("File", "None", "ReadWriteOnceWithFSType")
GROUP_CHANGE_POLICY = one_of_words("Always", "OnRootMismatch")
HOST_PATH_TYPE = one_of_words("", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket")
EXIT_CODE_OPERATOR = one_of_words("In", "NotIn")
FAILURE_ACTION = one_of_words("Count", "FailIndex", "FailJob", "Ignore")
INCLUSION_POLICY = one_of_words("Honor", "Ignore")
IP_FAMILY_LIST = List(one_of_words("IPv4", "IPv6"), list_type="atomic")
IP_FAMILY_POLICY = one_of_words("PreferDualStack", "RequireDualStack", "SingleStack")
LIMIT_RESPONSE = one_of_words("Queue", "Reject")
LIMIT_TYPE = one_of_words("Container", "PersistentVolumeClaim", "Pod")
MODIFY_VOLUME_STATUS = one_of_words("InProgress", "Infeasible", "Pending")
MOUNT_PROPAGATION = one_of_words("Bidirectional", "HostToContainer", "None")
NAMESPACE_PHASE = one_of_words("Active", "Terminating")
NODE_OPERATOR = one_of_words("DoesNotExist", "Exists", "Gt", "In", "Lt", "NotIn")
NODE_PHASE = one_of_words("Pending", "Running", "Terminated")
POD_MANAGEMENT = one_of_words("OrderedReady", "Parallel")
PATH_TYPE = one_of_words("Exact", "ImplementationSpecific", "Prefix")
POLICY_TYPE = one_of_words("Egress", "Ingress")
POD_PHASE = one_of_words("Failed", "Pending", "Running", "Succeeded", "Unknown")
POD_REPLACEMENT = one_of_words("Failed", "TerminatingOrFailed")
PREEMPTION_POLICY = one_of_words("Never", "PreemptLowerPriority")
PRIORITY_LEVEL_TYPE = one_of_words("Exempt", "Limited")
PROC_MOUNT = one_of_words("Default", "Unmasked")
PROFILE_TYPE = one_of_words("Localhost", "RuntimeDefault", "Unconfined")
PROTOCOL = one_of_words("SCTP", "TCP", "UDP")
PULL_POLICY = one_of_words("Always", "IfNotPresent", "Never")
QOS_CLASS = one_of_words("BestEffort", "Burstable", "Guaranteed")
QUOTA_SCOPE = one_of_words(
    "BestEffort", "CrossNamespacePodAffinity", "NotBestEffort", "NotTerminating", "PriorityClass", "Terminating", "VolumeAttributesClass"
)
QUOTA_SCOPE_LIST = List(QUOTA_SCOPE, list_type="atomic")
RECLAIM_POLICY = one_of_words("Delete", "Recycle", "Retain")
RESIZE_STATUS = one_of_words(
    "ControllerResizeInProgress",
    "ControllerResizeInfeasible",
    "NodeResizeInProgress",
    "NodeResizeInfeasible",
    "NodeResizePending",
)
RESTART_POLICY = one_of_words("Always", "Never", "OnFailure")
SCOPE_OPERATOR = one_of_words("DoesNotExist", "Exists", "In", "NotIn")
SERVICE_TYPE = one_of_words("ClusterIP", "ExternalName", "LoadBalancer", "NodePort")
SESSION_AFFINITY = one_of_words("ClientIP", "None")
SPREADING = one_of_words("DoNotSchedule", "ScheduleAnyway")
STATEFUL_SET_UPDATE = one_of_words("OnDelete", "RollingUpdate")
SUPPLEMENTAL_GROUPS_POLICY = one_of_words("Merge", "Strict")
TAINT_EFFECT = one_of_words("NoExecute", "NoSchedule", "PreferNoSchedule")
TERMINATION_MESSAGE_POLICY = one_of_words("FallbackToLogsOnError", "File")
TOLERATION_OPERATOR = one_of_words("Equal", "Exists", "Gt", "Lt")
TRAFFIC_POLICY = one_of_words("Cluster", "Local")
UNHEALTHY_POD_EVICTION_POLICY = one_of_words("AlwaysAllow", "IfHealthyBudget")
URI_SCHEME = one_of_words("HTTP", "HTTPS")
VOLUME_FORM = one_of_words("Block", "Filesystem")
VOLUME_LIFECYCLE_MODE = one_of_words("Persistent", "Ephemeral")
VOLUME_PHASE = one_of_words("Available", "Bound", "Failed", "Pending", "Released")
