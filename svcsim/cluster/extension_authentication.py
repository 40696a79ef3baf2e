"""What servers behind this one read to know it by: the authorities, and the headers in which it says who asks.

Published at every start, since the certificates may have been made anew.
"""

import json

from svcsim.auth.certificates import FRONT_PROXY_NAME, Credentials
from svcsim.client.api import Client
from svcsim.dialect import Dialect
from svcsim.meta.errors import StatusError

NAME = "extension-apiserver-authentication"


async def publish(client: Client, dialect: Dialect, credentials: Credentials) -> None:
    """Have the config map say how things are."""
    maps = client.resource("v1", "configmaps", dialect.system_namespace)
    wanted = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": NAME, "namespace": dialect.system_namespace},
        "data": _data(credentials),
    }
    try:
        await maps.create(wanted)
    except StatusError as error:
        if error.reason != "AlreadyExists":
            raise
        present = await maps.get(NAME)
        if present.get("data") != wanted["data"]:
            await maps.update({**present, "data": wanted["data"]})


def _data(credentials: Credentials) -> dict[str, str]:
    return {
        "client-ca-file": credentials.ca_certificate.read_text(),
        "requestheader-allowed-names": json.dumps([FRONT_PROXY_NAME]),
        "requestheader-client-ca-file": credentials.front_proxy_ca.read_text(),
        "requestheader-extra-headers-prefix": json.dumps(["X-Remote-Extra-"]),
        "requestheader-group-headers": json.dumps(["X-Remote-Group"]),
        "requestheader-uid-headers": json.dumps(["X-Remote-Uid"]),
        "requestheader-username-headers": json.dumps(["X-Remote-User"]),
    }
