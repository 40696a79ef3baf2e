"""Where the cluster is and by which authority it is known, for those who have nothing but a bootstrap token: everybody may read it."""

import base64

from svcsim.client.api import Client, Collection
from svcsim.dialect import Dialect
from svcsim.meta.codec import encode_yaml
from svcsim.meta.errors import StatusError
from svcsim.meta.types import Object

NAME = "cluster-info"
_ROLE = "kubeadm:bootstrap-signer-clusterinfo"


async def publish_cluster_info(client: Client, dialect: Dialect, url: str, ca_pem: bytes) -> None:
    """Have it say how things are. Whatever else stands in it (signatures) is left to others."""
    space, group = dialect.public_namespace, dialect.group("rbac.authorization")
    maps = client.resource("v1", "configmaps", space)
    told = _client_configuration(url, ca_pem)
    metadata = {"name": NAME, "namespace": space}
    if not await _made(maps, {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"kubeconfig": told}}):
        await maps.patch(NAME, {"data": {"kubeconfig": told}})
    about: Object = {"apiVersion": f"{group}/v1", "metadata": {"name": _ROLE, "namespace": space}}
    rules = [{"apiGroups": [""], "resources": ["configmaps"], "resourceNames": [NAME], "verbs": ["get"]}]
    await _made(client.resource(f"{group}/v1", "roles", space), {**about, "kind": "Role", "rules": rules})
    anonymous = {"apiGroup": group, "kind": "User", "name": "system:anonymous"}
    role = {"apiGroup": group, "kind": "Role", "name": _ROLE}
    bindings = client.resource(f"{group}/v1", "rolebindings", space)
    await _made(bindings, {**about, "kind": "RoleBinding", "roleRef": role, "subjects": [anonymous]})


async def _made(api: Collection, obj: Object) -> bool:
    """Create it; False if it is there already."""
    try:
        await api.create(obj)
    except StatusError as error:
        if error.reason != "AlreadyExists":
            raise
        return False
    return True


def _client_configuration(url: str, ca_pem: bytes) -> str:
    cluster = {"certificate-authority-data": base64.b64encode(ca_pem).decode(), "server": url}
    whole: Object = {"apiVersion": "v1", "clusters": [{"cluster": cluster, "name": ""}], "contexts": [], "kind": "Config", "users": []}
    return encode_yaml({**whole, "current-context": "", "preferences": {}}).decode()
