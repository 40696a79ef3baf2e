"""``create token``: a token with which a program acts as a service account."""

from svcsim.cli.failure import CommandError
from svcsim.cli.flags import Flag
from svcsim.cli.shared.command import Call, Command
from svcsim.cli.shared.item import check_name
from svcsim.cli.shared.reporting import PRINT_FLAGS, object_printer, output_format
from svcsim.cli.verbs.create.from_flags import one_name
from svcsim.meta.errors import StatusError
from svcsim.meta.types import Object

_BINDABLE = ("Node", "Pod", "Secret")


def run(call: Call) -> None:
    """Ask for a token, and print it."""
    session, name = call.session, one_name(call, "create token")
    spec = _spec(call)
    try:
        check_name(name)
    except CommandError as error:
        raise CommandError(f"failed to create token: {error}") from error
    group = session.dialect.group("authentication")
    request: Object = {"kind": "TokenRequest", "apiVersion": f"{group}/v1", "metadata": {"creationTimestamp": None}, "spec": spec}
    try:
        answer = session.write("POST", f"/api/v1/namespaces/{session.namespace}/serviceaccounts/{name}/token", request)
    except StatusError as error:
        raise CommandError(f"failed to create token: {error.message}") from error
    token = (answer.get("status") or {}).get("token")
    if not token:
        raise CommandError("failed to create token: no token in server response")
    if output_format(call):
        object_printer(call, typed=True).print(answer, session.out)
    else:
        session.out.write(f"{token}\n")


def _spec(call: Call) -> Object:
    options = call.options
    if options.seconds("duration") < 0:
        raise CommandError("--duration must be greater than or equal to 0")
    if options.seconds("duration") % 1:
        raise CommandError("--duration cannot be expressed in units less than seconds")
    if not all(options.items("audience")):
        raise CommandError("--audience must not be an empty string")
    kind, name, uid = (options.text(f"bound-object-{word}") for word in ("kind", "name", "uid"))
    if not kind:
        for word, value in (("name", name), ("uid", uid)):
            if value:
                raise CommandError(f"--bound-object-{word} can only be set if --bound-object-kind is provided")
    elif kind not in _BINDABLE:
        raise CommandError(f"supported --bound-object-kind values are {', '.join(_BINDABLE)}")
    elif not name:
        raise CommandError("--bound-object-name is required if --bound-object-kind is provided")
    spec: Object = {"audiences": options.items("audience")}
    if options.seconds("duration"):
        spec["expirationSeconds"] = int(options.seconds("duration"))
    if kind:
        spec["boundObjectRef"] = {"kind": kind, "apiVersion": "v1", "name": name, **({"uid": uid} if uid else {})}
    return spec


TOKEN = Command(
    "token",
    "token SERVICE_ACCOUNT [flags]",
    "Request a token of a service account.",
    (
        Flag("audience", "array", [], "Whom the token is for; the API server, unless it is said."),
        Flag("duration", "duration", 0.0, "How long the token is to be good; the server may say otherwise."),
        Flag("bound-object-kind", doc="The kind of an object that the token ends with: Node, Pod or Secret.", choices=_BINDABLE),
        Flag("bound-object-name", doc="The name of that object."),
        Flag("bound-object-uid", doc="The uid of that object; that of the one there is, unless it is said."),
        *PRINT_FLAGS,
    ),
    run,
)
