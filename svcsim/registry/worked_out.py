"""Objects that are worked out whenever somebody asks for them, and never stored: what the cluster says of itself.

They have no revision and no history, so there is nothing to watch, and a page of a list would be of no use: the few there are come at once.
"""

from svcsim.meta import errors
from svcsim.meta.types import Object
from svcsim.registry.core import encode_body, splice_revision
from svcsim.registry.kind import Answers
from svcsim.registry.options import ListOptions, Target
from svcsim.registry.scheme import Resource
from svcsim.registry.selecting import selection
from svcsim.storage.contract import Envelope, Key, Record

_UNSTORED = 0
"""Their revision: none."""


def get(answers: Answers, target: Target) -> Record:
    """One of them. Raises 404."""
    for record in _records(answers, target.resource):
        if record.key.name == target.name:
            return record
    raise errors.not_found(target.resource.group_resource, target.name)


def listed(answers: Answers, target: Target, options: ListOptions) -> list[Record]:
    """All that the selectors select."""
    selected = selection(target, options)
    return [record for record in _records(answers, target.resource) if selected is None or selected.accept(record.key, record.envelope)]


def _records(answers: Answers, resource: Resource) -> list[Record]:
    return [_record(resource, obj) for obj in answers.worked_out[resource.name]()]


def _record(resource: Resource, obj: Object) -> Record:
    metadata = obj["metadata"]
    envelope = Envelope("", metadata.get("labels") or {}, {}, ())
    body = splice_revision(encode_body(resource, obj), _UNSTORED)
    return Record(Key(resource.store_name, "", metadata["name"]), _UNSTORED, envelope, body)
