"""``bind``: which program on this machine stands behind a service of the cluster.

What the cluster itself calls by a service's name (webhooks, converters, aggregated API servers) is so reached while it is being written.
The binding is an annotation of the Service.
"""

from svcsim.cli.failure import CommandError, raise_all
from svcsim.cli.flags import switch
from svcsim.cli.shared.command import Call, Command
from svcsim.cli.shared.item import Item
from svcsim.cli.shared.listing import list_objects
from svcsim.cli.shared.own_server import check_own
from svcsim.cli.shared.select import select
from svcsim.client.paths import PATCH_TYPES
from svcsim.meta.annotation_places import BOUND_TO
from svcsim.meta.objects import get_path, name_of, namespace_of
from svcsim.meta.types import Object
from svcsim.outbound.binding import LOCALHOST, BindingError, Local, binding_troubles, bindings_of, read_port, unbindable, written
from svcsim.outbound.remote import DEFAULT_PORT
from svcsim.printing.harmless import harmless
from svcsim.printing.tabs import TabWriter


def run(call: Call) -> None:
    """Print bindings, make one, or undo them."""
    if not call.args:
        if call.options.on("off"):
            raise CommandError("name the service that is to be bound no longer: svcsim bind service/NAME --off")
        _list(call)
        return
    item, ports = _service(call)
    bindings = _bindings(item.obj)
    try:
        if call.options.on("off"):
            gone = _removed(item, bindings, ports)
            _write(call, item, {port: local for port, local in bindings.items() if port not in gone})
            call.session.out.write(f"service/{item.name} unbound\n")
            return
        if not ports:
            raise CommandError(f"say which port of this machine the program listens on: svcsim bind service/{item.name} [PORT:]LOCALPORT")
        _refuse_api_server(item)
        port, local = _wanted(item, ports)
    except BindingError as error:
        raise CommandError(str(error)) from None
    _write(call, item, {**bindings, port: local})
    call.session.out.write(f"service/{item.name} bound: port {port} leads to {local}\n")


def _service(call: Call) -> tuple[Item, str]:
    """The service, and what is said of its ports."""
    args = call.args
    named, rest = ([args[0]], args[1:]) if "/" in args[0] else (args[:2], args[2:])
    if len(named) + len(rest) > len(named) + 1 or (len(named) == 1 and "/" not in named[0]):
        raise CommandError("expected 'bind service/NAME [PORT:]LOCALPORT'")
    items, errors, _ = select(call, named)
    raise_all(errors)
    if len(items) != 1 or items[0].resource.kind != "Service":
        raise CommandError(f"only a service can be bound: svcsim bind service/NAME [PORT:]LOCALPORT, not {' '.join(named)}")
    return items[0], rest[0] if rest else ""


def _refuse_api_server(item: Item) -> None:
    labels = get_path(item.obj, "metadata.labels") or {}
    if item.namespace == "default" and labels.get("component") == "apiserver" and labels.get("provider") == item.name:
        raise CommandError(f"service/{item.name} is the API server's own: bind a service that you made for your program")


def _bindings(service: Object) -> dict[int, Local]:
    """The existing bindings; an annotation that can't be read is to be replaced."""
    try:
        return bindings_of(service)
    except BindingError:
        return {}


def _wanted(item: Item, ports: str) -> tuple[int, Local]:
    """The service's port and the program's, from ``[PORT:]LOCALPORT``."""
    port, colon, local = ports.rpartition(":")
    own = [int(one["port"]) for one in get_path(item.obj, "spec.ports") or ()]
    if not own:
        raise CommandError(f"service/{item.name} has no ports: there is nothing to call it by; give it one in its spec.ports")
    if colon:
        chosen = read_port(port)
    elif DEFAULT_PORT in own:
        chosen = DEFAULT_PORT
    elif len(own) == 1:
        chosen = own[0]
    else:
        raise CommandError(f"service/{item.name} has the ports {_joined(own)}: say which one as PORT:{local}")
    if chosen not in own:
        raise CommandError(f"service/{item.name} has no port {chosen}; it has {_joined(own)}")
    if trouble := unbindable(item.obj, chosen):
        raise CommandError(f"service/{item.name} can't be bound: {trouble}")
    return chosen, Local(LOCALHOST, read_port(local))


def _removed(item: Item, bindings: dict[int, Local], ports: str) -> list[int]:
    gone = [read_port(ports)] if ports else list(bindings)
    if not any(port in bindings for port in gone):
        raise CommandError(f"service/{item.name} is not bound{f' at port {ports}' if ports else ''}")
    return gone


def _joined(ports: list[int]) -> str:
    return ", ".join(map(str, ports))


def _write(call: Call, item: Item, bindings: dict[int, Local]) -> None:
    check_own(call.session, "nobody there would look where a service is bound to")
    patch: Object = {"metadata": {"annotations": {BOUND_TO: written(bindings) or None}}}
    call.session.write("PATCH", item.path, patch, {"fieldManager": "svcsim-bind"}, PATCH_TYPES["merge"])


def _list(call: Call) -> None:
    session = call.session
    services = list_objects(session, session.discovery.find("services"), session.namespace if session.which.namespace_given else "")
    rows = [
        [namespace_of(service), name_of(service), str(port), str(local)]
        for service in services
        for port, local in _bindings(service).items()
    ]
    troubles = [(service, trouble) for service in services for trouble in binding_troubles(service)]
    for service, trouble in troubles:
        session.err.write(f"service/{name_of(service)} in namespace {namespace_of(service)}: {harmless(trouble)}\n")
    if not rows and troubles:
        return
    if not rows:
        if session.which.namespace_given:
            elsewhere = "svcsim bind without a namespace lists those of all"
            session.err.write(f"No services are bound in {session.namespace} namespace; {elsewhere}.\n")
            return
        session.err.write("No services are bound. To have a program on this machine answer: svcsim bind service/NAME [PORT:]LOCALPORT\n")
        return
    tabs = TabWriter(session.out)
    for row in [["NAMESPACE", "SERVICE", "PORT", "PROGRAM"], *rows]:
        tabs.line(row)
    tabs.flush()


BIND = Command(
    "bind",
    "bind [service/NAME [PORT:]LOCALPORT] [flags]",
    "Have a program on this machine answer what the cluster asks a service: webhooks, converters, aggregated API servers. "
    "Without arguments, list what is bound.",
    (switch("off", "Undo the binding, of the port that is named or of all."),),
    run,
    completes="service",
)
