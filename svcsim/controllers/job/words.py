"""What a job writes on its pods, in the cluster's dialect."""

from typing import NamedTuple

from svcsim.dialect import Dialect


class Words(NamedTuple):
    """Keys of annotations and labels, and the finalizer."""

    tracking: str
    """The finalizer that keeps a pod until it is counted."""
    completion_index: str
    """Which index a pod works on: an annotation, and a label."""
    failures: str
    """How often a pod's index has failed before."""
    ignored: str
    """How often it has failed in a way that doesn't count."""
    job_name: str
    """The label by which pods name their job."""
    controller: str
    """What ``managedBy`` says of a job that is this controller's."""

    @classmethod
    def of(cls, dialect: Dialect) -> "Words":
        return cls(
            tracking=dialect.key("job-tracking", "batch"),
            completion_index=dialect.key("job-completion-index", "batch"),
            failures=dialect.key("job-index-failure-count", "batch"),
            ignored=dialect.key("job-index-ignored-failure-count", "batch"),
            job_name=dialect.key("job-name", "batch"),
            controller=dialect.key("job-controller"),
        )
