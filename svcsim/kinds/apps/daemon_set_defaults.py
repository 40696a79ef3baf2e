"""How a DaemonSet replaces its pods unless it says."""

from svcsim.meta.types import Object


def fill_strategy(strategy: Object) -> None:
    if strategy["type"] == "RollingUpdate":
        rolling = strategy.setdefault("rollingUpdate", {})
        rolling.setdefault("maxUnavailable", 1)
        rolling.setdefault("maxSurge", 0)
