"""Priorities of pods that both what may be said of them and what comes of them go by."""

from typing import Final

SYSTEM_CRITICAL: Final = 2_000_000_000
"""From here on a pod is critical for its cluster: nodes make room for it. No priority class of users' own comes near."""
NODE_CRITICAL: Final = SYSTEM_CRITICAL + 1_000
"""That of what a node can't be without."""
