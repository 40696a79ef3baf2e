"""The composition root: builds one cluster out of everything below, and is the only place that does.

Read `Cluster.open` from top to bottom to see what a cluster is made of. Every order that matters (authenticators, authorizers, admission
plugins, components) stands here in an explicit tuple. A cluster runs in the event loop that opens it, be that time real or virtual;
`serve` adds the socket, and only then is the HTTP library imported.
"""

import logging
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from svcsim import limits
from svcsim.dialect import DialectName

logger = logging.getLogger(__name__)

Durability = Literal["full", "process", "none"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterSpec:
    """What a cluster is to be. ``data_dir`` None makes one that leaves nothing behind."""

    dialect: DialectName = "svcapi"
    nodes: int = 3
    data_dir: Path | None = None
    durability: Durability = "full"
    history_s: float | None = limits.HISTORY_S
    """How long past revisions stay readable; None for ever."""
    clock_speed: float = 1.0
    """Cluster seconds per second; 0 starts paused."""
    start_s: float | None = None
    """When cluster time begins, in seconds since the epoch; None for the machine's time."""
    seed: int | None = None
    host: str = "127.0.0.1"
    port: int = 0
