"""Which objects are selected: by their names, their labels, and fields of theirs.

All of that stands beside an object in the store, so that nearly nothing has to be decoded to choose among many. But the fields were read
from the object when it was written, in the version it is stored in. If its definition has changed since what can be selected by, or how
objects are read, or if another version has others, they may not be what it is shown with: then it is chosen by what it is.
"""

from svcsim.clock import turn
from svcsim.meta import errors
from svcsim.meta.aside import aside
from svcsim.meta.quoting import quoted
from svcsim.registry.core import Core, decode_record, selectable_fields
from svcsim.registry.options import ListOptions, Target, WatchOptions
from svcsim.registry.resource import Resource
from svcsim.registry.shown import records_in_version
from svcsim.registry.slices import slices
from svcsim.storage.contract import Doubt, Envelope, Event, Key, Record, Selection

_NAMES = ("metadata.name", "metadata.namespace")
"""Fields that can be selected by for every kind, and stand in the key, not in the envelope."""

_EVERY_REVISION = 2**63 - 1


def selection(target: Target, options: ListOptions | WatchOptions) -> Selection | None:
    """Which records are to be shown; None when all are. Raises 400 for a field that can't be selected by."""
    labels, fields = options.label_selector, options.field_selector
    if fields is not None and not fields.requirements:
        fields = None
    if labels is not None and not labels.requirements:
        labels = None
    if fields is not None:
        selectable = target.resource.selected_as.kind.selectable
        known = {*_NAMES, *(one.path for one in selectable)}
        for field in fields.asked:
            if field not in known:
                raise _not_selectable(field, only_names=not selectable)
    name = target.name
    if labels is None and fields is None and not name:
        return None

    def perhaps(key: Key, envelope: Envelope) -> bool:
        return (not name or key.name == name) and (labels is None or labels.matches(envelope.labels))

    def accept(key: Key, envelope: Envelope) -> bool:
        if not perhaps(key, envelope):
            return False
        return fields is None or fields.matches({**envelope.fields, "metadata.name": key.name, "metadata.namespace": key.namespace})

    exact = {} if fields is None else fields.exact
    namespace = exact.get("metadata.namespace") if target.resource.namespaced else ""
    exact_fields = {path: value for path, value in exact.items() if path not in _NAMES}
    doubtful = _doubtful(target.resource, options)
    doubt = Doubt(doubtful, perhaps) if doubtful else None
    exact_labels = {} if labels is None else labels.exact
    return Selection(accept, exact_labels, exact_fields, namespace, name or exact.get("metadata.name", ""), doubt)


def selects_by_value(options: ListOptions | WatchOptions) -> bool:
    """Whether objects are chosen by what stands in them, besides their names and labels."""
    return options.field_selector is not None and any(field not in _NAMES for field in options.field_selector.asked)


def _doubtful(resource: Resource, options: ListOptions | WatchOptions) -> int:
    """Up to which revision what stands beside objects says nothing about what is asked for; 0 if it always does."""
    if options.field_selector is None or not selects_by_value(options):
        return 0
    definition, stored = resource.kind.definition, resource.stored
    if definition is not None and stored is not None:
        beside = {*_NAMES, *(one.path for one in stored.kind.selectable)}
        if definition.abroad or not beside.issuperset(options.field_selector.asked):
            return _EVERY_REVISION
    return resource.reselected


async def selected_today(core: Core, resource: Resource, records: list[Record], selected: Selection | None) -> list[Record]:
    """The records of a list that are selected by the values they are shown with today. Raises what a conversion raises."""
    if selected is None or selected.doubt is None:
        return records
    until, accept = selected.doubt.until, selected.accept
    doubtful = [record for record in records if record.revision <= until]
    today = {record.key: record for record in await _with_todays_fields(core, resource, doubtful)}
    found = [today.get(record.key, record) for record in records]
    return [record for record in found if record.revision > until or accept(record.key, record.envelope)]


async def changes_today(core: Core, resource: Resource, changes: list[Event], doubt: Doubt) -> list[Event]:
    """Changes whose states stand beside the fields they are shown with today. Raises what a conversion raises."""
    states = [state for change in changes for state in (change.record, change.previous) if state is not None]
    doubtful = {state.revision: state for state in states if state.revision <= doubt.until}
    if not doubtful:
        return changes
    today = {state.revision: state for state in await _with_todays_fields(core, resource, list(doubtful.values()))}

    def of(state: Record) -> Record:
        return today.get(state.revision, state)

    return [Event(kind, of(record), None if previous is None else of(previous)) for kind, record, previous in changes]


async def _with_todays_fields(core: Core, resource: Resource, records: list[Record]) -> list[Record]:
    """Records as they are, but for the fields beside them."""
    found: list[Record] = []
    for part in slices(records):
        shown = await records_in_version(core, resource, list(part))
        fields = await aside(sum([len(record.body) for record in shown]), _fields, resource, shown)
        found += [record._replace(envelope=record.envelope._replace(fields=now)) for record, now in zip(part, fields, strict=True)]
        await turn()
    return found


def _fields(resource: Resource, records: list[Record]) -> list[dict[str, str]]:
    return [selectable_fields(resource, decode_record(record)) for record in records]


def _not_selectable(field: str, *, only_names: bool) -> errors.StatusError:
    if only_names:
        known = ", ".join(f'"{name}"' for name in _NAMES)
        return errors.bad_request(f"{quoted(field)} is not a known field selector: only {known}")
    return errors.bad_request(f"field label not supported: {field}")
