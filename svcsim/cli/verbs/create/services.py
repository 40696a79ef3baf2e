"""``create service``."""

from svcsim.cli.failure import CommandError
from svcsim.cli.flags import Flag, words
from svcsim.cli.shared.arguments import require
from svcsim.cli.shared.command import Call, Command
from svcsim.cli.verbs.create.from_flags import Make, creator, new
from svcsim.cli.verbs.create.numbers import read_decimal, read_unsigned
from svcsim.meta.names import dns_subdomain, port_name, port_number
from svcsim.meta.types import Json, Object

_TCP_FLAG = words("tcp", "A port, as PORT or PORT:TARGETPORT.")


def _port(text: str, node_port: int) -> Object:
    port, colon, target = text.partition(":")
    number = read_unsigned(port, 16)
    entry: Object = {"name": text.replace(":", "-"), "protocol": "TCP", "port": number}
    entry["targetPort"] = _target(target) if colon else number
    if node_port:
        entry["nodePort"] = node_port
    return entry


def _target(text: str) -> Json:
    try:
        number = read_decimal(text)
    except CommandError:
        number = None
    wrong = port_name(text) if number is None else port_number(number)
    if wrong:
        raise CommandError(",".join(wrong))
    return text if number is None else number


def _service(call: Call, name: str, kind: str, *, node_port: int = 0, needs_ports: bool = True, extra: Object | None = None) -> Object:
    ports = [_port(text, node_port) for text in call.options.items("tcp")]
    if needs_ports and not ports:
        raise CommandError("at least one tcp port specifier must be provided")
    obj = new("v1", "Service", name, labels={"app": name})
    obj["spec"] = {**({"ports": ports} if ports else {}), "selector": {"app": name}, **(extra or {}), "type": kind}
    obj["status"] = {"loadBalancer": {}}
    return obj


def _cluster_ip(call: Call, name: str) -> Object:
    address = call.options.text("clusterip")
    return _service(call, name, "ClusterIP", needs_ports=address != "None", extra={"clusterIP": address} if address else None)


def _node_port(call: Call, name: str) -> Object:
    return _service(call, name, "NodePort", node_port=call.options.number("node-port"))


def _load_balancer(call: Call, name: str) -> Object:
    return _service(call, name, "LoadBalancer")


def _external_name(call: Call, name: str) -> Object:
    require(call, "external-name")
    external = call.options.text("external-name")
    if dns_subdomain(external):
        raise CommandError(f"invalid service external name {external}")
    return _service(call, name, "ExternalName", needs_ports=False, extra={"externalName": external})


def _creator(name: str, kind: str, flags: tuple[Flag, ...], make: Make) -> Command:
    return creator(
        f"{name} NAME [--tcp=PORT[:TARGETPORT]] [flags]",
        f"Create a service of type {kind}.",
        (*flags, _TCP_FLAG),
        make,
        failed=f"failed to create {kind} service:",
        parent="create service",
    )


SERVICE = Command(
    "service",
    "service (clusterip | externalname | loadbalancer | nodeport) [flags]",
    "Create a service of one of several types.",
    subcommands=(
        _creator("clusterip", "ClusterIP", (Flag("clusterip", doc="The cluster IP; None for a headless service."),), _cluster_ip),
        _creator("externalname", "ExternalName", (Flag("external-name", doc="The DNS name that the service refers to."),), _external_name),
        _creator("loadbalancer", "LoadBalancer", (), _load_balancer),
        _creator("nodeport", "NodePort", (Flag("node-port", "int64", 0, "The port on each node."),), _node_port),
    ),
    aliases=("svc",),
)
