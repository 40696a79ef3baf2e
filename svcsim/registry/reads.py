"""Get and list, and what a ``resourceVersion`` means to them.

They are asked of a view of the store: of the newest state, or of a past one. An exact revision and a continue token are one more view.
"""

from svcsim import limits
from svcsim.meta import errors
from svcsim.meta.quoting import quoted
from svcsim.meta.types import GroupKind
from svcsim.registry.continuation import NEWEST, Continuation, seal, unseal
from svcsim.registry.core import IGNORE_READ_ERROR, Core, key_of, translate
from svcsim.registry.listings import Listing, WholeList
from svcsim.registry.options import ListOptions, Target
from svcsim.registry.selecting import selected_today, selection
from svcsim.storage.contract import CompactedError, CorruptError, Damage, ReadView, Record, RecordPage, Selection, StoreError

_REVISION_DIGITS = 19
_TOO_OLD_TOKEN = (
    "The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue "
    "parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token "
    "results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and "
    "now may show up in the list."
)


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
    if not part and target.resource.streams and (whole := await _whole(view, target, options)) is not None:
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
    except CorruptError as error:
        raise await _unreadable(view, target, error) from error
    except StoreError as error:
        raise translate(error) from error
    return await _listing(core, target, page, selected, page.remaining)


async def _unreadable(view: ReadView, target: Target, first: CorruptError) -> errors.StatusError:
    """The refusal of a list in which something is damaged: it names what, so that it can be deleted, and the list be had."""
    found: list[Damage] = []
    try:
        async for _ in view.bodies(target.resource.store_name, target.namespace, on_damage=found.append):
            pass
    except StoreError as error:
        return translate(error)
    if not found:
        return translate(first)
    named = [(f"{key.namespace}/{key.name}".lstrip("/"), str(error)) for key, _, error in found[: limits.UNREADABLE_NAMED]]
    some = ", ".join(name for name, _ in named[:10])
    what = target.resource.plural
    message = f"failed to read one or more {what} from the storage: {some}; each can be deleted with the option {IGNORE_READ_ERROR}"
    return errors.storage_read_error(message, what, named)


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
    except CorruptError as error:
        raise await _unreadable(view, target, error) from error
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
        remaining = await _remaining(begun, target, token, page) if selected is None else None
    except CompactedError as error:
        raise _token_expired(core, token) from error
    except CorruptError as error:
        raise await _unreadable(view, target, error) from error
    except StoreError as error:
        raise translate(error) from error
    return await _listing(core, target, page, selected, remaining)


async def _remaining(begun: ReadView, target: Target, token: Continuation, page: RecordPage) -> int | None:
    """How many follow a page that isn't the first: what the page before told, less this one's.

    Behind the token of an expired list, nobody has counted the rest as it is now. It is counted once, and told by the tokens that follow.
    """
    if token.remaining is not None:
        return max(token.remaining - len(page.records), 0)
    if token.revision != NEWEST or page.next is None:
        return None
    return await begun.at(page.revision).count(target.resource.store_name, target.namespace, start=page.next)


def _token_expired(core: Core, token: Continuation) -> errors.StatusError:
    error = errors.expired(_TOO_OLD_TOKEN)
    fresh = Continuation(NEWEST, token.start, None, core.clock.now())
    error.metadata = {"continue": seal(core.token_key, fresh)}
    return error


async def _listing(core: Core, target: Target, page: RecordPage, selected: Selection | None, remaining: int | None) -> Listing:
    records = await selected_today(core, target.resource, page.records, selected)
    if page.next is None:
        return Listing(records, page.revision, "", None, page.held)
    token = seal(core.token_key, Continuation(page.revision, page.next, remaining, core.clock.now()))
    return Listing(records, page.revision, token, remaining, page.held)


def parse_revision(text: str) -> int:
    """A revision as a client sends it; raises 400."""
    if not text.isascii() or not text.isdigit():
        raise _no_revision(text, "invalid syntax")
    significant = text.lstrip("0") or "0"
    if len(significant) > _REVISION_DIGITS:
        raise _no_revision(text, "value out of range")
    return int(significant)


def _no_revision(text: str, why: str) -> errors.StatusError:
    finding = errors.invalid_value("resourceVersion", text, f"strconv.ParseUint: parsing {quoted(text)}: {why}")
    return errors.bad_request(f"invalid resource version: {finding.path}: {finding.message}")


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
