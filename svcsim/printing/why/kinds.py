"""Which explainer is for which kind. All others are explained by their conditions."""

from svcsim.printing.why.bounds import AUTOSCALER, BUDGET, QUOTA
from svcsim.printing.why.certificates import SIGNING_REQUEST
from svcsim.printing.why.conditions import BY_CONDITIONS
from svcsim.printing.why.daemon_sets import DAEMON_SET
from svcsim.printing.why.deployments import DEPLOYMENT
from svcsim.printing.why.device_claims import DEVICE_CLAIM
from svcsim.printing.why.jobs import CRON_JOB, JOB
from svcsim.printing.why.places import NAMESPACE, NODE
from svcsim.printing.why.pods import POD
from svcsim.printing.why.replica_sets import REPLICA_SET
from svcsim.printing.why.services import ADDRESS, INGRESS, SERVICE
from svcsim.printing.why.stateful_sets import STATEFUL_SET
from svcsim.printing.why.storage import ATTACHMENT, CLAIM, VOLUME
from svcsim.printing.why.verdict import Explainer

EXPLAINERS: dict[tuple[str, str], Explainer] = {
    ("", "Namespace"): NAMESPACE,
    ("", "Node"): NODE,
    ("", "PersistentVolume"): VOLUME,
    ("", "PersistentVolumeClaim"): CLAIM,
    ("", "Pod"): POD,
    ("", "ReplicationController"): REPLICA_SET,
    ("", "ResourceQuota"): QUOTA,
    ("", "Service"): SERVICE,
    ("apps", "DaemonSet"): DAEMON_SET,
    ("apps", "Deployment"): DEPLOYMENT,
    ("apps", "ReplicaSet"): REPLICA_SET,
    ("apps", "StatefulSet"): STATEFUL_SET,
    ("autoscaling", "HorizontalPodAutoscaler"): AUTOSCALER,
    ("batch", "CronJob"): CRON_JOB,
    ("batch", "Job"): JOB,
    ("certificates", "CertificateSigningRequest"): SIGNING_REQUEST,
    ("networking", "IPAddress"): ADDRESS,
    ("networking", "Ingress"): INGRESS,
    ("policy", "PodDisruptionBudget"): BUDGET,
    ("resource", "ResourceClaim"): DEVICE_CLAIM,
    ("storage", "VolumeAttachment"): ATTACHMENT,
}
"""By group and kind, groups without the dialect's suffix."""


def explainer_of(group: str, kind: str) -> Explainer:
    """How a kind of that group, without the dialect's suffix, is explained."""
    return EXPLAINERS.get((group, kind), BY_CONDITIONS)
