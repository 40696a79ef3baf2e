"""Whether anybody attends to an object: what is said where its controller doesn't run, or hasn't come to it yet."""

from svcsim.meta.objects import get_path, metadata_of
from svcsim.meta.types import Object


def nobody(has: str, kinds: str) -> str:
    """That what a controller does hasn't been done yet: ``Nobody has begun with it yet: no controller for Jobs runs, …``."""
    return f"Nobody has {has} yet: no controller for {kinds} runs, or it hasn't come to it."


def unseen(obj: Object) -> tuple[str, ...]:
    """What there is to say where nobody has acted on the last change of an object yet."""
    observed = get_path(obj, "status.observedGeneration", 0) or 0
    if observed >= metadata_of(obj).get("generation", 0):
        return ()
    return (nobody("acted on its last change", f"{obj.get('kind', '')}s"),)
