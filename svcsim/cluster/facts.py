"""What is fixed when a cluster is made, and kept in its store: the seed of all that looks like chance, and the key of continue tokens."""

import base64
import hashlib
from typing import NamedTuple

from svcsim.chance import Chance
from svcsim.meta.codec import decode_json, encode
from svcsim.storage.contract import Store

_NAME = "cluster"
"""Under which the store keeps it."""


class Facts(NamedTuple):
    """What is fixed for good."""

    seed: int
    token_key: bytes


async def facts_of(store: Store, wanted_seed: int | None) -> Facts:
    """What was fixed when the cluster was made; made now if this is its first start."""
    kept = store.get_meta(_NAME)
    if kept is not None:
        known = decode_json(kept)
        return Facts(known["seed"], base64.b64decode(known["tokenKey"]))
    seed = Chance(wanted_seed).seed
    # Where a seed is given, everything follows from it; else the key is as unguessable as the seed that was drawn.
    key = hashlib.sha256(f"continue tokens/{seed}/{'' if wanted_seed is not None else Chance().seed}".encode()).digest()
    facts = Facts(int(seed), key)
    await store.put_meta(_NAME, encode({"seed": facts.seed, "tokenKey": base64.b64encode(key).decode()}))
    return facts
