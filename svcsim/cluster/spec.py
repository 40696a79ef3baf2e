"""What a cluster can be asked to be.

Light to import: the command line and the scenarios read it without what a cluster is made of.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from svcsim import limits
from svcsim.dialect import DialectName

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
    """Makes chance repeatable; None draws a seed when the cluster is made."""
    runtime_config: tuple[str, ...] = ()
    """Groups, versions and resources switched on and off: ``batch/v1=false``. `RuntimeConfigError` when opened, for what isn't there."""
    served: bool = False
    """Whether it will listen on a socket, and so needs certificates and a token."""
