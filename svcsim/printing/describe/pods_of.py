"""How the pods of a workload are."""

from svcsim.meta.objects import controller_of, namespace_of, uid_of
from svcsim.meta.pods import phase_of
from svcsim.meta.types import Object
from svcsim.printing.describe.writer import DescribeContext


def pods_status(workload: Object, selector: str, context: DescribeContext) -> str:
    """How many of the pods that it controls are in which phase."""
    path = f"/api/v1/namespaces/{namespace_of(workload)}/pods"
    pods: list[Object] = context.reader.get(path, {"labelSelector": selector}).get("items") or []
    mine = [pod for pod in pods if (controller_of(pod) or {}).get("uid") == uid_of(workload)]
    counts = {phase: sum(phase_of(pod) == phase for pod in mine) for phase in ("Running", "Pending", "Succeeded", "Failed")}
    return f"{counts['Running']} Running / {counts['Pending']} Waiting / {counts['Succeeded']} Succeeded / {counts['Failed']} Failed"
