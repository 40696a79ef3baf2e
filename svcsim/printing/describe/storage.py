"""PersistentVolumes and PersistentVolumeClaims."""

from svcsim.meta.claims import short_access_modes
from svcsim.meta.objects import get_path, metadata_of, name_of, namespace_of
from svcsim.meta.types import Object
from svcsim.printing.describe.events import events_section
from svcsim.printing.describe.volumes import claim_class, claim_source, describe_source
from svcsim.printing.describe.writer import DescribeContext, Writer, annotations, labels
from svcsim.printing.texts import rfc1123, since


def describe_volume(volume: Object, context: DescribeContext) -> None:
    writer, spec, status = context.writer, volume.get("spec") or {}, volume.get("status") or {}
    claim = spec.get("claimRef")
    _head(writer, volume)
    claim_class(writer, metadata_of(volume), spec)
    _status(volume, context)
    writer.field("Claim", f"{claim.get('namespace', '')}/{claim.get('name', '')}" if claim else "")
    writer.field("Reclaim Policy", spec.get("persistentVolumeReclaimPolicy", ""))
    writer.field("Access Modes", short_access_modes(spec.get("accessModes")))
    if spec.get("volumeMode"):
        writer.field("VolumeMode", spec["volumeMode"])
    writer.field("Capacity", get_path(spec, "capacity.storage") or "0")
    _affinity(writer, get_path(spec, "nodeAffinity.required.nodeSelectorTerms") or [])
    writer.field("Message", status.get("message", ""))
    writer.line("Source:")
    describe_source(writer, spec, persistent=True)
    events_section(volume, context)


def describe_claim(claim: Object, context: DescribeContext) -> None:
    """One claim, with the pods that use it."""
    writer, spec, status = context.writer, claim.get("spec") or {}, claim.get("status") or {}
    bound = bool(spec.get("volumeName"))
    writer.field("Name", name_of(claim))
    writer.field("Namespace", namespace_of(claim))
    claim_class(writer, metadata_of(claim), spec)
    _status(claim, context)
    writer.field("Volume", spec.get("volumeName", ""))
    _head(writer, claim, named=True)
    writer.field("Capacity", (get_path(status, "capacity.storage") or "0") if bound else "")
    writer.field("Access Modes", short_access_modes(status.get("accessModes")) if bound else "")
    claim_source(writer, spec)
    for index, name in enumerate(_users(claim, context) or ["<none>"]):
        writer.line(("Used By:" if not index else "") + f"\t{name}")
    _conditions(writer, status.get("conditions") or [])
    events_section(claim, context)


def _status(obj: Object, context: DescribeContext) -> None:
    going = metadata_of(obj).get("deletionTimestamp")
    phase = (obj.get("status") or {}).get("phase", "")
    context.writer.field("Status", f"Terminating (lasts {since(going, context.now())})" if going else phase)


def _head(writer: Writer, obj: Object, *, named: bool = False) -> None:
    metadata = metadata_of(obj)
    if not named:
        writer.field("Name", name_of(obj))
    labels(writer, "Labels", metadata.get("labels"))
    annotations(writer, "Annotations", metadata.get("annotations"))
    writer.field("Finalizers", f"[{' '.join(metadata.get('finalizers') or [])}]")


def _affinity(writer: Writer, terms: list[Object]) -> None:
    if not terms:
        writer.field("Node Affinity", "<none>")
        return
    writer.field("Node Affinity", "")
    writer.field("Required Terms", "", 1)
    for number, term in enumerate(terms):
        for index, rule in enumerate(term.get("matchExpressions") or [{}]):
            values = f" [{', '.join(rule['values'])}]" if rule.get("values") else ""
            text = f"{rule.get('key', '')} {rule.get('operator', '').lower()}{values}" if rule else "<none>"
            writer.line((f"Term {number}:" if not index else "") + f"\t{text}", 2)


def _users(claim: Object, context: DescribeContext) -> list[str]:
    pods = context.reader.get(f"/api/v1/namespaces/{namespace_of(claim)}/pods").get("items") or []
    return [name_of(pod) for pod in pods if name_of(claim) in _claims(pod)]


def _claims(pod: Object) -> list[str]:
    volumes = get_path(pod, "spec.volumes") or []
    named = [volume["persistentVolumeClaim"]["claimName"] for volume in volumes if volume.get("persistentVolumeClaim")]
    return named + [f"{name_of(pod)}-{volume['name']}" for volume in volumes if volume.get("ephemeral")]


def _conditions(writer: Writer, conditions: list[Object]) -> None:
    if not conditions:
        return
    writer.line("Conditions:")
    writer.line("Type\tStatus\tLastProbeTime\tLastTransitionTime\tReason\tMessage", 1)
    writer.line("----\t------\t-----------------\t------------------\t------\t-------", 1)
    for item in conditions:
        times = [rfc1123(item.get(field)) for field in ("lastProbeTime", "lastTransitionTime")]
        cells = [item.get("type", ""), f"{item.get('status', '')} ", *times, item.get("reason", ""), item.get("message", "")]
        writer.line(" \t".join(map(str, cells[:1])) + " \t" + "\t".join(map(str, cells[1:])), 1)
