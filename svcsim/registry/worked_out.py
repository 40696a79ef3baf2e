"""Objects that are computed at each request, and never stored: the state of the cluster itself, and the usage of nodes and pods.

They have no revision and no history, so there is nothing to watch, and a page of a list would be of no use: all come at once.
"""

from svcsim import limits
from svcsim.clock import turn
from svcsim.meta import errors
from svcsim.meta.types import Object
from svcsim.registry.core import encode_body, splice_revision
from svcsim.registry.kind import Answers
from svcsim.registry.options import ListOptions, Target
from svcsim.registry.resource import Resource
from svcsim.registry.selecting import selection
from svcsim.storage.contract import Envelope, Key, Record

_UNSTORED = 0
"""Their revision: none."""


async def get(answers: Answers, target: Target) -> Record:
    """One of them. Raises 404."""
    resource = target.resource
    for obj in await answers.worked_out[resource.name](target.namespace, target.name, None):
        if obj["metadata"]["name"] == target.name:
            return _record(resource, obj)
    raise errors.not_found(resource.group_resource, target.name)


async def listed(answers: Answers, target: Target, options: ListOptions) -> list[Record]:
    """All that the selectors select."""
    selected = selection(target, options)
    objects = await answers.worked_out[target.resource.name](target.namespace, "", options.label_selector)
    records: list[Record] = []
    for number, obj in enumerate(objects):
        if number % limits.CONVERTED_SLICE_RECORDS == 0:
            await turn()
        record = _record(target.resource, obj)
        if selected is None or selected.accept(record.key, record.envelope):
            records.append(record)
    return records


def _record(resource: Resource, obj: Object) -> Record:
    metadata = obj["metadata"]
    namespace = metadata.get("namespace") or ""
    envelope = Envelope("", metadata.get("labels") or {}, {}, ())
    body = splice_revision(encode_body(resource, obj), _UNSTORED)
    return Record(Key(resource.store_name, namespace, metadata["name"]), _UNSTORED, envelope, body)
