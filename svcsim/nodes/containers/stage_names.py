"""The names of the stages in a container's life, so that a name that isn't one is found before anything runs."""

from typing import Literal, TypeAlias

PlayedStage: TypeAlias = Literal[
    "pulling",
    "pulled",
    "pull failed",
    "pull back-off",
    "creating",
    "created",
    "start refused",
    "post-start",
    "post-start failed",
    "start failed",
    "running",
    "probing",
    "killing",
    "replacing",
    "replaced",
    "exited",
    "all over",
    "crash back-off",
    "restarting",
]
"""Stages in which something is done when they begin: `svcsim.nodes.containers.stages` says what."""

StageName: TypeAlias = PlayedStage | Literal["idle", "stopped"]
"""With those before the first and after the last."""
