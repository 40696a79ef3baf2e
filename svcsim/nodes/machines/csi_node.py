"""The CSINode of a node, in which its agent names the storage drivers on it. It is there as kubelets make it, and names none."""

from svcsim.client.api import Client
from svcsim.dialect import Dialect
from svcsim.meta.errors import StatusError
from svcsim.meta.objects import name_of, owner_references, uid_of
from svcsim.meta.types import Object


async def keep_csi_node(client: Client, node: Object, dialect: Dialect) -> None:
    """Make it, or have the one that is there belong to the Node that is there now. A cluster may do without the kind."""
    api_version = f"{dialect.group('storage')}/v1"
    csi_nodes = client.resource(api_version, "csinodes")
    owner = {"apiVersion": "v1", "kind": "Node", "name": name_of(node), "uid": uid_of(node)}
    metadata = {"name": name_of(node), "ownerReferences": [owner]}
    try:
        await csi_nodes.hand_over({"kind": "CSINode", "apiVersion": api_version, "metadata": metadata, "spec": {"drivers": []}})
    except StatusError as error:
        if error.code == 404:
            return
        if error.code != 409:
            raise
        current = await csi_nodes.get(name_of(node))
        if [one.get("uid") for one in owner_references(current)] != [uid_of(node)]:
            await csi_nodes.patch(name_of(node), {"metadata": {"ownerReferences": [owner]}})
