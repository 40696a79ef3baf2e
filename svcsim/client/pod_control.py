"""What controllers that own pods do alike: make one from a template, and make many carefully."""

from collections.abc import Awaitable, Callable, Sequence

from svcsim import limits
from svcsim.client.expectations import Expectations
from svcsim.client.ownership import controller_reference
from svcsim.meta.errors import StatusError
from svcsim.meta.indexed import ObjectKey, object_key
from svcsim.meta.objects import copy_json, uid_of
from svcsim.meta.side_by_side import side_by_side
from svcsim.meta.types import Object


def new_pod(owner: Object, template: Object) -> Object:
    """A pod as its owner's template describes it, in the form pods are stored in if the template is. The server completes the name."""
    namespace, name = object_key(owner)
    given = template.get("metadata") or {}
    metadata: Object = {"generateName": f"{name}-", "namespace": namespace}
    metadata.update((field, copy_json(given[field])) for field in ("labels", "annotations") if given.get(field))
    metadata["ownerReferences"] = [controller_reference(owner)]
    if given.get("finalizers"):
        metadata["finalizers"] = copy_json(given["finalizers"])
    return {"kind": "Pod", "apiVersion": "v1", "metadata": metadata, "spec": copy_json(template.get("spec") or {})}


async def slow_start(count: int, action: Callable[[], Awaitable[StatusError | None]]) -> tuple[int, StatusError | None]:
    """Do something ``count`` times, in batches of 1, 2, 4, …, up to the first batch that fails: how often it worked, and why not."""
    done, batch = 0, 1
    while done < count:
        errors = await side_by_side(range(min(batch, count - done)), lambda _: action(), limits.POD_WRITES_AT_ONCE)
        done += sum(error is None for error in errors)
        failure = next((error for error in errors if error is not None), None)
        if failure is not None:
            return done, failure
        batch *= 2
    return done, None


async def delete_expected(
    expectations: Expectations, key: ObjectKey, pods: Sequence[Object], delete: Callable[[Object], Awaitable[StatusError | None]]
) -> StatusError | None:
    """Delete pods of an owner, side by side, and expect to see that; gives the first thing that went wrong."""
    for pod in pods:
        expectations.expect_deletion(key, uid_of(pod))
    errors = await side_by_side(pods, delete, limits.POD_WRITES_AT_ONCE)
    return next((error for error in errors if error is not None), None)
