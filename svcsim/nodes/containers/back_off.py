"""How long a container waits until its start, or a pull of its image, is tried again: longer each time."""

from svcsim.client.backoff import backoff_s
from svcsim.nodes.containers.container import Container

BACKOFF_FIRST_S = 10.0
BACKOFF_LONGEST_S = 300.0
BACKOFF_RESET_S = 600.0
"""A container that ran this long starts its back-off anew when it ends."""


def crash_back_off_s(container: Container) -> float:
    """How long it waits for its next start."""
    return backoff_s(container.failures - 1, BACKOFF_FIRST_S, BACKOFF_LONGEST_S)
