"""What is said of an object that is of another kind than it should be, in the words that Kubernetes' users know."""

from svcsim.meta.quoting import quoted
from svcsim.meta.types import GroupVersion, GroupVersionKind


def not_registered(group_version: GroupVersion, kind: str) -> str:
    """Of a kind that nobody serves."""
    return f"no kind {quoted(kind)} is registered for version {quoted(str(group_version))}"


def not_convertible(version: str, kind: str, wanted: GroupVersionKind) -> str:
    """Of a kind that another one can't be made of."""
    return f"converting ({version}.{kind}) to ({wanted.group.partition('.')[0] or 'core'}.{wanted.kind}): unknown conversion"
