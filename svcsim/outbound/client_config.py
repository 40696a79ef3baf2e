"""How a webhook's configuration says where it is: a URL, or a service of the cluster."""

import base64

from svcsim.meta.types import Object
from svcsim.outbound.remote import DEFAULT_PORT, Remote, ServiceReference, Trust


def remote_of(name: str, config: Object) -> Remote:
    """The server that a valid ``clientConfig`` names; ``name`` is on whose behalf it is called."""
    bundle = config.get("caBundle")
    trust = Trust(base64.b64decode(bundle) if bundle else None)
    service = config.get("service")
    if service is None:
        return Remote(name, config.get("url") or "", trust=trust)
    reference = ServiceReference(service.get("namespace") or "", service.get("name") or "", service.get("port") or DEFAULT_PORT)
    path: str = service.get("path") or ""
    return Remote(name, service=reference, path=path if path.startswith("/") or not path else f"/{path}", trust=trust)
