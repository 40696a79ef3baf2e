"""Whether there is enough of a resource on a node, and what the node says where there isn't."""

from svcsim.meta.quantity import Amount


def shortage(name: str, asked: Amount, used: Amount, capacity: Amount) -> str:
    """What is said of a resource that others use, too; empty where there is enough of it."""
    if not capacity < asked + used:
        return ""
    told = Amount.millis if name == "cpu" else Amount.value
    return f"Node didn't have enough resource: {name}, requested: {told(asked)}, used: {told(used)}, capacity: {told(capacity)}"
