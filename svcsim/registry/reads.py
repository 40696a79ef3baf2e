"""Get and list, and what a ``resourceVersion`` means to them.

They are asked of a view of the store: of the newest state, or of a past one. An exact revision and a continue token are one more view.
"""

from collections.abc import AsyncIterator
from typing import NamedTuple

from svcsim import limits
from svcsim.meta import errors
from svcsim.meta.budget import Portion
from svcsim.meta.types import GroupKind
from svcsim.registry.continuation import NEWEST, Continuation, seal, unseal
from svcsim.registry.core import Core, key_of, translate
from svcsim.registry.options import ListOptions, Target, WatchOptions
from svcsim.storage.contract import CompactedError, Envelope, Key, ReadView, Record, RecordPage, Selection, StoreError

_TOO_OLD_TOKEN = (
    "The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue "
    "parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token "
    "results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and "
    "now may show up in the list."
)


class Listing(NamedTuple):
    """One page of a collection."""

    records: list[Record]
    revision: int
    continue_token: str
    remaining: int | None
    held: Portion | None = None
    """What the records take of the memory for lists: goes with the answer that is made of them."""


class WholeList(NamedTuple):
    """A long collection that is handed on as it is read."""

    revision: int
    first: list[bytes]
    rest: AsyncIterator[tuple[int, list[bytes]]]
    """The next bodies, slice by slice, each with the revision."""


async def get(view: ReadView, target: Target, resource_version: str) -> Record:
    """The object, not older than the version asked for."""
    if resource_version:
        await not_older_than(view, parse_revision(resource_version))
    try:
        record = view.get(key_of(target))
    except StoreError as error:
        raise translate(error) from error
    if record is None:
        raise errors.not_found(target.resource.group_resource, target.name)
    return record


async def list_page(core: Core, view: ReadView, target: Target, options: ListOptions) -> Listing:
    """A page of the collection, or all of it."""
    _check_match(core, options)
    return await _page(core, view, target, options, selection(target, options))


async def whole_or_page(core: Core, view: ReadView, target: Target, options: ListOptions) -> WholeList | Listing:
    """The whole collection as it is stored, slice by slice, if that is what is asked for and it is a long one; else `list_page`."""
    _check_match(core, options)
    selected = selection(target, options)
    part = options.limit or options.continue_token or selected is not None
    if not part and target.resource.stored is None and (whole := await _whole(view, target, options)) is not None:
        return whole
    return await _page(core, view, target, options, selected)


async def _page(core: Core, view: ReadView, target: Target, options: ListOptions, selected: Selection | None) -> Listing:
    if options.continue_token:
        return await _continue(core, view, target, options, selected)
    try:
        view = await _exact(view, options)
        page = await view.list(target.resource.store_name, target.namespace, limit=options.limit, selection=selected)
    except CompactedError as error:
        raise _list_too_old(error) from error
    except StoreError as error:
        raise translate(error) from error
    return _listing(core, page, page.remaining)


async def _whole(view: ReadView, target: Target, options: ListOptions) -> WholeList | None:
    resource, namespace = target.resource.store_name, target.namespace
    try:
        view = await _exact(view, options)
        if await view.count(resource, namespace) < limits.STREAMED_LIST_RECORDS:
            return None
        slices = view.bodies(resource, namespace)
        revision, first = await anext(slices)
    except CompactedError as error:
        raise _list_too_old(error) from error
    except StoreError as error:
        raise translate(error) from error
    return WholeList(revision, first, slices)


def _list_too_old(error: CompactedError) -> errors.StatusError:
    return errors.expired(f"The resourceVersion for the provided list is too old: {error.revision} ({error.compacted})")


async def _exact(view: ReadView, options: ListOptions) -> ReadView:
    """The view to list: of the exact revision, where one is asked for."""
    if not options.resource_version:
        return view
    asked = parse_revision(options.resource_version)
    exact = options.resource_version_match == "Exact" or (not options.resource_version_match and options.limit > 0 and asked > 0)
    await not_older_than(view, asked)
    return view.at(asked) if exact else view


async def _continue(core: Core, view: ReadView, target: Target, options: ListOptions, selected: Selection | None) -> Listing:
    if options.resource_version not in ("", "0"):
        raise errors.bad_request("specifying resource version is not allowed when using continue")
    token = unseal(core.token_key, options.continue_token)
    if token.start.resource != target.resource.store_name or (target.namespace and token.start.namespace != target.namespace):
        raise errors.bad_request("continue key is not valid: it belongs to another collection")
    stale = token.revision not in (NEWEST, view.revision) and core.clock.now() - token.issued_s > limits.HISTORY_S
    if stale:
        raise _token_expired(core, token)
    try:
        begun = view if token.revision == NEWEST else view.at(token.revision)
        page = await begun.list(target.resource.store_name, target.namespace, start=token.start, limit=options.limit, selection=selected)
    except CompactedError as error:
        raise _token_expired(core, token) from error
    except StoreError as error:
        raise translate(error) from error
    remaining = None if token.remaining is None or selected is not None else max(token.remaining - len(page.records), 0)
    return _listing(core, page, remaining)


def _token_expired(core: Core, token: Continuation) -> errors.StatusError:
    error = errors.expired(_TOO_OLD_TOKEN)
    fresh = Continuation(NEWEST, token.start, None, core.clock.now())
    error.metadata = {"continue": seal(core.token_key, fresh)}
    return error


def _listing(core: Core, page: RecordPage, remaining: int | None) -> Listing:
    if page.next is None:
        return Listing(page.records, page.revision, "", None, page.held)
    token = seal(core.token_key, Continuation(page.revision, page.next, remaining, core.clock.now()))
    return Listing(page.records, page.revision, token, remaining, page.held)


def parse_revision(text: str) -> int:
    """A revision as a client sends it; raises 400."""
    if not text.isascii() or not text.isdigit() or len(text) > 19:
        raise errors.bad_request(f'invalid resource version: strconv.ParseUint: parsing "{text}": invalid syntax')
    return int(text)


async def not_older_than(view: ReadView, revision: int) -> None:
    """Wait a little for a revision that has not happened yet; raises 504 when it doesn't come."""
    if revision > view.revision and not await view.wait_for(revision, limits.TOO_LARGE_REVISION_WAIT_S):
        raise errors.too_large_resource_version(revision, view.revision)


def list_options_kind(core: Core) -> GroupKind:
    """The refusal of options that don't go together."""
    return GroupKind(core.scheme.dialect.group("meta"), "ListOptions")


def _check_match(core: Core, options: ListOptions) -> None:
    """The rules of ``resourceVersionMatch``."""
    resource_version, match = options.resource_version, options.resource_version_match
    if not match:
        return
    path = "resourceVersionMatch"
    if match not in ("Exact", "NotOlderThan"):
        finding = errors.unsupported(path, match, ("Exact", "NotOlderThan", ""))
    elif options.continue_token:
        finding = errors.forbidden_field(path, "resourceVersionMatch is forbidden when continue is provided")
    elif not resource_version:
        finding = errors.forbidden_field(path, "resourceVersionMatch is forbidden unless resourceVersion is provided")
    elif match == "Exact" and resource_version == "0":
        finding = errors.forbidden_field(path, 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"')
    else:
        return
    raise errors.invalid(list_options_kind(core), "", [finding])


def selection(target: Target, options: ListOptions | WatchOptions) -> Selection | None:
    """Which records are to be shown; None when all are. Raises 400 for a field that can't be selected by."""
    labels, fields = options.label_selector, options.field_selector
    if fields is not None and not fields.requirements:
        fields = None
    if labels is not None and not labels.requirements:
        labels = None
    if fields is not None:
        known = {*_NAMES, *(selectable.path for selectable in target.resource.storage_version.kind.selectable)}
        for field in fields.asked:
            if field not in known:
                raise errors.bad_request(f"field label not supported: {field}")
    name = target.name
    if labels is None and fields is None and not name:
        return None

    def accept(key: Key, envelope: Envelope) -> bool:
        if name and key.name != name:
            return False
        if labels is not None and not labels.matches(envelope.labels):
            return False
        return fields is None or fields.matches({**envelope.fields, "metadata.name": key.name, "metadata.namespace": key.namespace})

    exact_fields = {} if fields is None else {path: value for path, value in fields.exact.items() if path not in _NAMES}
    return Selection(accept, {} if labels is None else labels.exact, exact_fields)


_NAMES = ("metadata.name", "metadata.namespace")
"""Fields that can be selected by for every kind, and stand in the key, not in the envelope."""
