"""What every node may alike. What concerns some nodes only isn't here: `authorizer` decides about those resources one by one."""

from svcsim.auth.authorization import ResourceRule
from svcsim.dialect import Dialect

_READING = ("get", "list", "watch")


def node_rules(dialect: Dialect) -> tuple[ResourceRule, ...]:
    """As the role ``system:node`` has them."""
    group = dialect.group
    return (
        ResourceRule(("create",), (group("authentication"),), ("tokenreviews",)),
        ResourceRule(("create",), (group("authorization"),), ("subjectaccessreviews", "localsubjectaccessreviews")),
        ResourceRule(_READING, ("",), ("services",)),
        ResourceRule(("get",), ("",), ("endpoints",)),
        ResourceRule(("create", "patch", "update"), ("", group("events")), ("events",)),
        ResourceRule(("create", *_READING), (group("certificates"),), ("certificatesigningrequests",)),
        ResourceRule(_READING, (group("storage"),), ("csidrivers",)),
        ResourceRule(_READING, (group("node"),), ("runtimeclasses",)),
    )
