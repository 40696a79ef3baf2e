"""Whom an agent of a node asks certificates for: with that of another node it could do whatever that node may."""

import base64

from svcsim import limits
from svcsim.auth.signing import NODE_PREFIX, last_common_name
from svcsim.dialect import Dialect
from svcsim.meta.aside import aside
from svcsim.meta.objects import get_path
from svcsim.meta.types import Object


async def wrong_certificate(csr: Object, node: str, dialect: Dialect) -> str:
    """Why a node may not ask for this; empty where it may. What other signers sign makes nobody an agent, and is for them to judge."""
    if get_path(csr, "spec.signerName") not in (dialect.signer_node_client, dialect.signer_node_serving):
        return ""
    try:
        pem = base64.b64decode(get_path(csr, "spec.request") or "")
        name = await aside(limits.ASIDE_BYTES + 1, last_common_name, pem)
    except ValueError as error:
        return f"unable to parse csr: {error}"
    own = f"{NODE_PREFIX}{node}"
    return "" if name == own else f"can only create a node CSR with CN={own}"
