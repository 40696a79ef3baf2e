"""What is filled in of a CustomResourceDefinition."""

from svcsim.meta.types import Object

_HTTPS_PORT = 443


def fill_names(spec: Object) -> None:
    """One object is called by the kind in lower case, a list of them by the kind with List behind it, if nothing else is said."""
    names = spec.get("names")
    if names is None or not names.get("kind"):
        return
    if not names.get("singular"):
        names["singular"] = names["kind"].lower()
    if not names.get("listKind"):
        names["listKind"] = f"{names['kind']}List"


def fill_webhook(webhook: Object) -> None:
    """A Service serves webhooks on the port of HTTPS."""
    service = (webhook.get("clientConfig") or {}).get("service")
    if service is not None:
        service.setdefault("port", _HTTPS_PORT)
