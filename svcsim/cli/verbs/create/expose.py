"""``expose``: a service in front of what is there already."""

from typing import NamedTuple, NoReturn

from svcsim.cli.failure import CommandError, raise_all
from svcsim.cli.flags import Flag
from svcsim.cli.shared.command import Call, Command
from svcsim.cli.shared.files import FILE_FLAGS
from svcsim.cli.shared.item import Item
from svcsim.cli.shared.known_kinds import refuse_unknown
from svcsim.cli.shared.select import select
from svcsim.cli.verbs.create.from_flags import MAKING_FLAGS, Maker, manager_flag, new
from svcsim.cli.verbs.create.numbers import read_decimal
from svcsim.cli.verbs.create.overrides import OVERRIDE_FLAGS, overridden
from svcsim.cli.verbs.create.pod import key_values
from svcsim.meta import go_integers
from svcsim.meta.errors import StatusError
from svcsim.meta.objects import get_path, labels_of
from svcsim.meta.types import Json, Object

EXPOSABLE = ("ReplicationController", "Service", "Pod", "Deployment", "ReplicaSet")
_HAVE_PLAIN_SELECTORS = {"Service": "service", "ReplicationController": "replication controller"}
"""Kinds whose selector is a map of labels, as messages call them."""


class Port(NamedTuple):
    """A port and its protocol."""

    number: str
    protocol: str


def run(call: Call) -> None:
    """Create a service for each of the objects named."""
    selection = select(call, named=True)
    errors = selection.errors
    maker = Maker(call, "exposed")
    for item in selection.items:
        try:
            maker.make(overridden(call, _service(call, item)))
        except (StatusError, CommandError) as error:
            errors.append(error)
    raise_all(errors)


def _service(call: Call, item: Item) -> Object:
    refuse_unknown(item.resource, call.session.dialect)
    if item.resource.kind not in EXPOSABLE:
        raise CommandError(f"cannot expose a {item.resource.group_kind}")
    options = call.options
    name = options.text("name") or item.name[:63]
    selector = key_values(options.text("selector")) if options.text("selector") else _selector(item)
    labels: Object = key_values(options.text("labels")) if options.text("labels") else dict(labels_of(item.obj))
    headless = options.text("cluster-ip") == "None"
    ports = _ports(call, item, required=not headless)
    spec: Object = {}
    if ports:
        spec["ports"] = ports
    spec["selector"] = selector
    for field, flag in (("clusterIP", "cluster-ip"), ("type", "type"), ("sessionAffinity", "session-affinity")):
        if options.text(flag):
            spec[field] = options.text(flag)
    if options.text("external-ip"):
        spec["externalIPs"] = [options.text("external-ip")]
    if options.text("load-balancer-ip"):
        spec["loadBalancerIP"] = options.text("load-balancer-ip")
    service = new("v1", "Service", name, labels=labels)
    service["spec"] = spec
    service["status"] = {"loadBalancer": {}}
    return service


def _selector(item: Item) -> Object:
    """Which pods an object stands for."""
    kind, obj = item.resource.kind, item.obj
    found: Object
    if kind == "Pod":
        return labels_of(obj) or _refuse_selectors("the pod has no labels and cannot be exposed")
    if kind in _HAVE_PLAIN_SELECTORS:
        found = get_path(obj, "spec.selector") or _refuse_selectors(f"the {_HAVE_PLAIN_SELECTORS[kind]} has no pod selector set")
        return found
    found = get_path(obj, "spec.selector.matchLabels") or {}
    if not found:
        _refuse_selectors(f"invalid {kind.lower()}: no selectors, therefore cannot be exposed")
    if expressions := get_path(obj, "spec.selector.matchExpressions"):
        requirements = " ".join(
            f"{{Key:{one['key']} Operator:{one['operator']} Values:[{' '.join(one.get('values') or [])}]}}" for one in expressions
        )
        _refuse_selectors(f'couldn\'t convert expressions - "[{requirements}]" to map-based selector format')
    return found


def _refuse_selectors(why: str) -> NoReturn:
    raise CommandError(f"couldn't retrieve selectors via --selector flag or introspection: {why}")


def _ports(call: Call, item: Item, *, required: bool) -> list[Object]:
    options = call.options
    known = _known_ports(item)
    given = options.text("port")
    numbers = given.split(",") if given else [port.number for port in known]
    if not numbers and required:
        raise CommandError("couldn't find port via --port flag or introspection")
    protocols = {port.number: port.protocol for port in known}
    target = options.text("target-port")
    entries: list[Object] = []
    for index, number in enumerate(numbers):
        entry: Object = {"name": f"port-{index + 1}"} if len(numbers) > 1 else {}
        entry["protocol"] = options.text("protocol") or protocols.get(number) or "TCP"
        entry["port"] = read_decimal(number)
        entry["targetPort"] = _target(target) if target else entry["port"]
        entries.append(entry)
    return entries


def _target(text: str) -> Json:
    try:
        return go_integers.read_decimal(text, 32)
    except ValueError:
        return text


def _known_ports(item: Item) -> list[Port]:
    """The ports an object tells of."""
    if item.resource.kind == "Service":
        return [Port(str(port["port"]), port.get("protocol", "")) for port in get_path(item.obj, "spec.ports", []) or []]
    place = "spec.containers" if item.resource.kind == "Pod" else "spec.template.spec.containers"
    containers = get_path(item.obj, place, []) or []
    return [Port(str(port["containerPort"]), port.get("protocol", "")) for one in containers for port in one.get("ports") or []]


EXPOSE = Command(
    "expose",
    "expose (-f FILENAME | TYPE NAME) [--port=PORT] [--target-port=PORT] [--name=NAME] [--type=TYPE] [flags]",
    "Create a service for the pods of a deployment, a replica set or another service, or for one pod.",
    (
        *FILE_FLAGS,
        Flag("name", doc="The name of the service; that of the object by default."),
        Flag("port", doc="The ports of the service; those of the object by default."),
        Flag("target-port", doc="The port of the pods, as a number or name."),
        Flag("protocol", doc="TCP, UDP or SCTP.", choices=("TCP", "UDP", "SCTP")),
        Flag("type", doc="The service's type.", choices=("ClusterIP", "NodePort", "LoadBalancer", "ExternalName")),
        Flag("selector", doc="The label selector of the service; that of the object by default."),
        Flag("labels", doc="The service's labels, as KEY=VALUE,….", short="l"),
        Flag("cluster-ip", doc="The cluster IP; None for a headless service."),
        Flag("external-ip", doc="An additional external IP."),
        Flag("load-balancer-ip", doc="The IP of the load balancer."),
        Flag("session-affinity", doc="The session affinity: None or ClientIP.", choices=("None", "ClientIP")),
        *OVERRIDE_FLAGS,
        *MAKING_FLAGS,
        manager_flag("kubectl-expose"),
    ),
    run,
    completes="resource:pods,services,deployments,replicasets,replicationcontrollers",
)
