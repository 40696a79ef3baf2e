"""What servers behind this one read to know it by: the authorities, and the headers in which it says who asks.

Proxies before this server that say who asks may say so to those servers too, in the same way, so they stand beside it.

Published at every start, since the certificates may have been made anew, and again when somebody has deleted or changed it.
"""

import json

from svcsim.auth.authorities import read_authorities
from svcsim.auth.certificates import FRONT_PROXY_NAME, Credentials
from svcsim.client.api import Client
from svcsim.cluster.proxies import proxy_authorities
from svcsim.cluster.put_right import put_right
from svcsim.cluster.spec import ClusterSpec
from svcsim.cluster.tls import CLIENT_CA
from svcsim.dialect import Dialect
from svcsim.meta.errors import StatusError
from svcsim.meta.types import Object
from svcsim.server.aggregation.remotes import FrontProxy

NAME = "extension-apiserver-authentication"


def config_map(dialect: Dialect, credentials: Credentials, spec: ClusterSpec) -> Object:
    """The config map that says how things are."""
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": NAME, "namespace": dialect.system_namespace},
        "data": _data(credentials, spec),
    }


async def publish(client: Client, wanted: Object) -> None:
    """Have it there, saying so."""
    maps = client.resource("v1", "configmaps", wanted["metadata"]["namespace"])
    try:
        present = await maps.get(NAME)  # which asks nobody, and mostly it is as it should be
    except StatusError as error:
        if error.reason != "NotFound":
            raise
        await maps.create(wanted)
        return
    if (right := put_right("configmaps", present, wanted)) is not None:
        await maps.update(right)


def _data(credentials: Credentials, spec: ClusterSpec) -> dict[str, str]:
    users = read_authorities(CLIENT_CA, spec.credentials.client_ca_file)
    proxies, before = proxy_authorities(spec.request_header), spec.request_header
    any_name = proxies.pem and not before.allowed_names
    return {
        "client-ca-file": credentials.ca_certificate.read_text() + users.pem,
        "requestheader-allowed-names": _both((), ()) if any_name else _both((FRONT_PROXY_NAME,), before.allowed_names),
        "requestheader-client-ca-file": credentials.front_proxy_ca.read_text() + proxies.pem,
        "requestheader-extra-headers-prefix": _both(("X-Remote-Extra-",), before.extra_headers_prefix),
        "requestheader-group-headers": _both(("X-Remote-Group",), before.group_headers),
        "requestheader-uid-headers": _both(("X-Remote-Uid",), before.uid_headers),
        "requestheader-username-headers": _both(("X-Remote-User",), before.username_headers),
    }


def _both(ours: tuple[str, ...], others: tuple[str, ...]) -> str:
    return json.dumps(list(dict.fromkeys((*ours, *others))))


def front_proxy(credentials: Credentials | None, spec: ClusterSpec) -> FrontProxy:
    """As what this server comes to those behind it: with a certificate, and who asks in headers, which it takes out of what it was sent."""
    if credentials is None:
        return FrontProxy()
    before = spec.request_header
    names = tuple(name.lower() for name in (*before.username_headers, *before.uid_headers, *before.group_headers))
    prefixes = tuple(prefix.lower() for prefix in before.extra_headers_prefix)
    return FrontProxy(credentials.front_proxy_certificate.read_bytes(), credentials.front_proxy_key.read_bytes(), names, prefixes)
