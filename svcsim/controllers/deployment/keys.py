"""Names of the labels and annotations by which a deployment and its ReplicaSets know each other."""

from svcsim.dialect import Dialect


def revision(dialect: Dialect) -> str:
    """Annotation: the number of the revision."""
    return dialect.key("revision", "deployment")


def revision_history(dialect: Dialect) -> str:
    """Annotation: the numbers a set had before it was rolled back to."""
    return dialect.key("revision-history", "deployment")


def desired_replicas(dialect: Dialect) -> str:
    """Annotation on a set: replicas of the deployment when the set was last scaled."""
    return dialect.key("desired-replicas", "deployment")


def max_replicas(dialect: Dialect) -> str:
    """Annotation on a set: replicas of the deployment with surge, when the set was last scaled."""
    return dialect.key("max-replicas", "deployment")


def not_copied(dialect: Dialect) -> tuple[str, ...]:
    """Annotations of a deployment that its sets don't take over."""
    return (
        dialect.key("last-applied-configuration", "kubectl"),
        revision(dialect),
        revision_history(dialect),
        desired_replicas(dialect),
        max_replicas(dialect),
    )
