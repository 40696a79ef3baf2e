"""What a served webhook is asked about, as people say it, in the rules that a configuration has for it."""

from typing import TYPE_CHECKING

from svcsim.admission.matching import OWN_GROUP
from svcsim.cli.failure import CommandError
from svcsim.meta.errors import StatusError
from svcsim.meta.types import Object

if TYPE_CHECKING:
    from svcsim.cli.shared.session import Session

_OPERATIONS = ("CREATE", "UPDATE", "DELETE", "CONNECT")
_BY_DEFAULT = ("CREATE", "UPDATE")
_CONNECTED = ("attach", "exec", "portforward", "proxy")
"""Subresources that are connected to, and neither created nor changed."""


def rules(session: "Session", listed: list[str], operations: list[str], said_by: str) -> tuple[Object, ...]:
    """Rules for resources as people name them: ``pods``, ``deployments.apps``, ``pods/exec``, ``*``."""
    if not listed:
        raise CommandError("say what it is to be asked about: --resources=pods,deployments.apps, or RESOURCES in the file")
    known = tuple(operation.upper() for operation in operations)
    for operation in known:
        if operation not in (*_OPERATIONS, "*"):
            raise CommandError(f'{said_by} are {", ".join(_OPERATIONS)} or *, not "{operation}"')
    alike: dict[tuple[tuple[str, ...], str], list[str]] = {}
    for one in listed:
        resource, slash, below = one.partition("/")
        connected = below in _CONNECTED
        if connected and known and not {"CONNECT", "*"} & set(known):
            raise CommandError(f'"{one}" is connected to, and nothing else: let {said_by} have CONNECT')
        asked = known or (("CONNECT",) if connected else _BY_DEFAULT)
        everything, _, group = resource.partition(".")
        if everything == "*" and group != session.dialect.group(OWN_GROUP):
            alike.setdefault((asked, group or "*"), []).append(f"*{slash}{below}")
            continue
        if known == ("CONNECT",) and not connected and below != "*":
            raise CommandError(f'"{one}" is never connected to: of what is below it, {", ".join(_CONNECTED)} may be, such as pods/exec')
        found = session.discovery.find(resource)
        if found.group == session.dialect.group(OWN_GROUP):
            raise CommandError(f'no webhook is ever asked about "{one}": who makes a mistake there has to be able to mend it')
        if slash and below != "*" and below not in found.subresources:
            known_below = ", ".join(f"{resource}/{name}" for name in found.subresources) or "none"
            raise CommandError(f'there is no "{one}"; below {resource} there is: {known_below}')
        alike.setdefault((asked, found.group), []).append(f"{found.plural}{slash}{below}")
    return tuple(
        {"operations": list(asked), "apiGroups": [group], "apiVersions": ["*"], "resources": names}
        for (asked, group), names in alike.items()
    )


def namespace_notes(session: "Session", listed: list[str], namespace: str) -> tuple[str, ...]:
    """What of a namespace may not be as it was meant."""
    if not namespace:
        return ()
    everywhere = [one for one in listed if not one.startswith("*") and not session.discovery.find(one.partition("/")[0]).namespaced]
    notes = [f"{one} are in no namespace: it is asked about all of them." for one in everywhere]
    try:
        session.get(f"/api/v1/namespaces/{namespace}")
    except StatusError as error:
        if error.reason != "NotFound":
            raise
        notes.append(f'There is no namespace "{namespace}": as long as there is none, it isn\'t asked about anything in it.')
    return tuple(notes)
