"""What a policy finds of a request."""

from typing import NamedTuple


class Unmet(NamedTuple):
    """A condition that isn't met, or couldn't be asked."""

    told: str
    reason: str = "Invalid"
    number: int = 0
    """Its place in the policy."""
    failed: bool = False
    """Whether it couldn't be asked: then the failure policy says whether it counts."""
    of_annotation: bool = False
    """Whether it is an audit annotation that couldn't be made: that refuses, whatever the binding says should follow."""


class Changed(NamedTuple):
    """What has failed of a mutating policy."""

    failures: list[str]
    unmet_condition: str = ""
    """The name of the condition by which the policy isn't about the request after all."""


class Evaluated(NamedTuple):
    """What is refused, and what is noted beside the audit events."""

    unmet: list[Unmet]
    annotations: list[tuple[str, str]]
    unmet_condition: str = ""
    """The name of the condition by which the policy isn't about the request after all."""
