"""What our annotations are called, and on which objects each of them counts, so that one in a wrong place can be told where it belongs."""

from svcsim.meta.own_annotations import DOMAIN
from svcsim.meta.simulated_disks import FAIL_ANNOTATION
from svcsim.meta.usage_words import USAGE

RUN_FOR = "run-for"
EXIT_CODE = "exit-code"
CRASH_AFTER = "crash-after"
READY_AFTER = "ready-after"
IMAGE_PULL_FAILURE = "image-pull-failure"
FAILING_PROBES = "failing-probes"
"""The annotation that names probes that fail: ``readiness``, ``liveness``, ``startup``, with commas between them."""
LINES = "log-lines"
EVERY = "log-every"
OF_PODS = (RUN_FOR, EXIT_CODE, CRASH_AFTER, READY_AFTER, IMAGE_PULL_FAILURE, FAILING_PROBES, LINES, EVERY, *USAGE)
"""The annotations of pods by their names behind svcsim's domain, in the order of the documentation."""
BOUND_TO = f"{DOMAIN}/bound-to"
_PLACES = {
    **{f"{DOMAIN}/{name}": "pods" for name in OF_PODS},
    BOUND_TO: "services",
    FAIL_ANNOTATION: "claims and volumes",
}
"""The objects that an annotation is meant for, by its key."""


def misplaced(key: str) -> str:
    """Why an annotation counts for nothing where it isn't read; empty for one that counts nowhere."""
    return f"it counts for nothing here; it is meant for {_PLACES[key]}" if key in _PLACES else ""
