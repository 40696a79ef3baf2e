"""How a Deployment rolls out unless it says."""

from svcsim.meta.types import Object


def fill_strategy(strategy: Object) -> None:
    if strategy["type"] == "RollingUpdate":
        rolling = strategy.setdefault("rollingUpdate", {})
        rolling.setdefault("maxUnavailable", "25%")
        rolling.setdefault("maxSurge", "25%")
