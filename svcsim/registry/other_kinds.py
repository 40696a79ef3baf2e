"""What is said of an object that is of another kind than it should be, in the words that Kubernetes' users know."""

from svcsim.meta.quoting import quoted
from svcsim.meta.types import GroupVersion, GroupVersionKind


def not_registered(group_version: GroupVersion, kind: str) -> str:
    """The message for a kind that isn't served."""
    return f"no kind {quoted(kind)} is registered for version {quoted(str(group_version))}"


def not_convertible(version: str, kind: str, wanted: GroupVersionKind) -> str:
    """The message for a kind that can't be converted into another one."""
    return f"converting ({version}.{kind}) to ({wanted.group.partition('.')[0] or 'core'}.{wanted.kind}): unknown conversion"
