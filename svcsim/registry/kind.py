"""A kind as data: what `kinds/` declares and all the machinery reads.

Names, scope, schema, columns, selectable fields and subresources are data. What data can't say stands in a few hooks, plain functions
that see one object (and the one before it): cross-field defaults, what a create or an update fills in, rules across fields.
"""

from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal, NamedTuple, Protocol, TypeAlias

from svcsim.apply.reset_fields import check_paths
from svcsim.apply.topology import DEDUCED, Node, topology
from svcsim.chance import Chance
from svcsim.dialect import Dialect
from svcsim.meta.errors import FieldError
from svcsim.meta.label_selectors import LabelSelector
from svcsim.meta.names import dns_subdomain
from svcsim.meta.objects import get_path
from svcsim.meta.records import record
from svcsim.meta.types import GroupVersion, Json, Key, Object, User
from svcsim.schema.common import object_struct
from svcsim.schema.types import Struct


class Group(NamedTuple):
    """An API group as kinds name it: ``apps``, or ``storage`` with the dialect's suffix to come; and one of its versions."""

    base: str
    version: str
    suffixed: bool = False

    def name(self, dialect: Dialect) -> str:
        """The group's full name in that dialect; empty for the core group."""
        return dialect.group(self.base) if self.suffixed else self.base


class Context(NamedTuple):
    """What a hook may know beside the objects."""

    dialect: Dialect
    now: float
    """The cluster's time in seconds since the epoch."""
    timestamp: str
    """The same time in RFC 3339."""
    chance: Chance
    user: User = User("")
    """The user; None when an object is shown or converted, which is the same for all users."""
    warnings: list[str] | None = None
    version: str = ""
    """In which a write is made, which may be another than what is stored; empty where nothing is written."""

    def warn(self, text: str) -> None:
        """Let the client know of something that doesn't keep the request from succeeding."""
        if self.warnings is not None:
            self.warnings.append(text)


Cell: TypeAlias = Callable[[Object, Context], Json]
"""What a table shows of an object: a string or a whole number."""


class Column(NamedTuple):
    """A column of a kind's table. The name column comes of itself, first, unless the kind says that it doesn't."""

    name: str
    value: Cell
    type: Literal["string", "integer", "number", "date", "boolean"] = "string"
    priority: int = 0
    """0 is always shown, 1 with ``-o wide``."""
    doc: str = ""
    format: str = ""


@dataclass(frozen=True)
class Selectable:
    """A field that field selectors may name, besides ``metadata.name`` and ``metadata.namespace``."""

    path: str
    default: str = ""
    """What an object without the field counts as."""
    at: tuple[str, ...] = ()
    """Where the value stands, if not at ``path``: the first of these paths that is there."""

    def reader(self) -> Callable[[Object], Json]:
        """What gives the field's value in an object; None if it has none."""
        readers = [_reader(path) for path in self.at or (self.path,)]
        if len(readers) == 1:
            return readers[0]
        return lambda obj: next((value for read in readers if (value := read(obj)) not in (None, "")), None)


def _reader(path: str) -> Callable[[Object], Json]:
    """What reads the value at a path. Nearly all of those are short."""
    first, _, last = path.partition(".")
    if not last:
        return lambda obj: obj.get(first)
    if "." in last:
        return lambda obj: get_path(obj, path)

    def read(obj: Object) -> Json:
        part = obj.get(first)
        return part.get(last) if type(part) is dict else None

    return read


Rule: TypeAlias = Callable[[Object, Context], Iterable[FieldError]]
UpdateRule: TypeAlias = Callable[[Object, Object, Context], Iterable[FieldError]]
Warnings: TypeAlias = Callable[[Object], Iterable[str]]
UpdateWarnings: TypeAlias = Callable[[Object, Object], Iterable[str]]


class Option(NamedTuple):
    """A query parameter of a subresource that is left to a handler: a field of the options object that its requests stand for."""

    name: str
    type: Literal["string", "integer", "boolean"] = "string"
    doc: str = ""
    many: bool = False
    """Whether it may be given several times."""


@record()
class Subresource:
    """A path segment below an object: a window on it, which says what it shows of the object and what may be changed through it.

    ``group``, ``kind`` and ``body`` are those of what is sent and answered; by default the object itself.

    What is written: either the fields named by ``writes`` and no others, or all but ``resets``, as dotted paths. In ``writes``,
    ``containers[*].image`` is that field of the items that are there, told apart by the keys of the list; items neither come nor go by it.
    What is reset is reset as a whole, so its paths lead through no list. Updates, patches and server-side apply, with the ownership of
    fields, follow from that. A window that shows something of its own turns the stored object into that with ``view``.
    ``merge(stored, sent, context)`` gives the object to store, of which, again, only what is written counts; it changes neither, and shares
    what stays as it is.

    What a create does: ``merge``, where there is one; with ``deletes`` the object is deleted, as the body's ``deleteOptions`` say, if
    `Answers.permits` of the composition root permits it; with ``answer(stored, sent, context)`` nothing is stored, and its result is the
    answer. ``answered`` leaves that function to the composition root (`Answers`).

    ``handler`` leaves the request to a handler that the composition root gives to the server, with the ``options`` in the query: one that
    answers a GET, or one that connects, which admission is asked about first, and which is given the options as that leaves them.
    """

    name: str
    verbs: tuple[str, ...] = ("get", "update", "patch")
    kind: str = ""
    group: Group | None = None
    """By default the object's own."""
    earlier: tuple[Group, ...] = ()
    """Versions that say the same, in which it may be sent as well."""
    body: Struct | None = None
    writes: tuple[str, ...] = ()
    resets: tuple[str, ...] = ()
    view: Callable[[Object, Context], Object] | None = None
    check_shown: Callable[[Object], None] | None = None
    """Raises where the object has nothing of what ``view`` shows, so that it can't be read, though it can be written."""
    merge: Callable[[Object, Object, Context], Object] | None = None
    applied: Callable[[Object], Object] | None = None
    """What a body that is applied says of the object itself, as fields of the object: those are what its applier owns."""
    answers: Literal["Status", "object"] = "Status"
    """What a create that stores or deletes is answered with: that it succeeded, or the object."""
    answer: "SubresourceAnswer | None" = None
    answered: bool = False
    deletes: bool = False
    handler: Literal["", "get", "connect"] = ""
    options: tuple[Option, ...] = ()
    """What a handler takes in the query."""
    below: str = ""
    """The option that says which path below the subresource is asked for, if there are any."""
    columns: tuple[Column, ...] = ()
    """The columns of its table, if its body isn't the object itself."""
    update_rules: tuple[UpdateRule, ...] | None = None
    """What a write through it is checked with instead of the kind's own update rules."""
    update: Callable[[Object, Object, Context], None] | None = None
    """``update(new, old)``: what the server sets or keeps in a write through it, as `Strategy.update` does in others."""
    generation: bool = True
    """Whether a change through it is a new generation, as it is through the object."""

    def __post_init__(self) -> None:
        """Refuse verbs that nobody could carry out."""
        if self.handler:
            return
        changes = [verb for verb in self.verbs if verb in ("update", "patch")]
        if changes and self.merge is None and (self.view is not None or self.body is not None):
            raise ValueError(f"{self.name}: without merge, {' and '.join(changes)} of what isn't the object itself can't be stored")
        if "create" in self.verbs and self.merge is None and self.answer is None and not self.answered and not self.deletes:
            raise ValueError(f"{self.name}: a create does what merge, answer or deletes says, and none is there")


Answer: TypeAlias = Callable[[Object, Context], Awaitable[Object]]
"""Makes of an object that is created, and never stored, what is answered."""
SubresourceAnswer: TypeAlias = Callable[[Object, Object, Context], Awaitable[Object]]
"""Makes of an object that is stored, and what is sent to its subresource, what is answered."""


WorkOut: TypeAlias = Callable[[str, str, LabelSelector | None], Awaitable[list[Object]]]
"""Gives objects of a kind that is worked out, as they are now: fresh ones, by name. It is given the namespace, the name and the label
selector that are asked for, if they are, and may give more than these select."""


class Permit(Protocol):
    """Is asked before an object is deleted through a subresource."""

    async def __call__(self, obj: Object, resource_version: str, /, *, dry_run: bool) -> str:
        """``resource_version`` is what the deletion is held to, if it is; gives what to hold it to, or an empty string.

        Raises `StatusError` if it may not be; one about a conflict where it is to be asked again.
        """
        ...


class Answers(NamedTuple):
    """Functions that the composition root gives for kinds that need more than the object to answer."""

    kinds: Mapping[str, Answer] = MappingProxyType({})
    """By the kinds' names."""
    subresources: Mapping[str, SubresourceAnswer] = MappingProxyType({})
    """By resource and subresource: ``serviceaccounts/token``."""
    worked_out: Mapping[str, WorkOut] = MappingProxyType({})
    """By the names of kinds whose objects are worked out."""
    permits: Mapping[str, Permit] = MappingProxyType({})
    """By resource and subresource: ``pods/eviction``."""


NO_ANSWERS = Answers()


def _nothing(obj: Object, context: Context) -> None:
    """The default hook."""


def _nothing_new(new: Object, old: Object, context: Context) -> None:
    """The default hook of an update."""


def _at_once(_obj: Object, _context: Context) -> int | None:
    return None


def _never(_obj: Object) -> bool:
    return False


def _any_name(_name: str) -> str:
    return ""


class Strategy(NamedTuple):
    """The hooks of a kind. Each may change its first argument in place.

    ``fill``: defaults that need the context. ``create``, ``update(new, old)``: what the server sets or keeps, before admission
    validates; ``update`` is not asked about writes through a subresource, and works on a long object on a thread of its own.
    ``warnings``: what isn't wrong with a new object, and may not be what its author means; ``update_warnings(new, old)`` the same of an
    update, though not of one through the status.
    ``rules`` are about every object that is written, ``create_rules`` about new ones, ``update_rules`` about what changes; what they and
    the schema find is told in that order, or sorted by ``order(finding)``.
    ``grace(obj)``: default seconds of graceful deletion; None means the object goes at once. ``terminate``: what changes when deletion
    begins. ``held(obj)``: whether something beside ``metadata.finalizers`` keeps a deleted object (a namespace's own finalizers).
    ``undeletable(name)`` says why an object of that name may not be deleted on its own, if it may not.
    """

    fill: Callable[[Object, Context], None] = _nothing
    create: Callable[[Object, Context], None] = _nothing
    update: Callable[[Object, Object, Context], None] = _nothing_new
    rules: tuple[Rule, ...] = ()
    warnings: tuple[Warnings, ...] = ()
    update_warnings: tuple[UpdateWarnings, ...] = ()
    create_rules: tuple[Rule, ...] = ()
    update_rules: tuple[UpdateRule, ...] = ()
    order: Callable[[FieldError], tuple[int, ...]] | None = None
    grace: Callable[[Object, Context], int | None] = _at_once
    terminate: Callable[[Object, Context], None] | None = None
    held: Callable[[Object], bool] = _never
    undeletable: Callable[[str], str] = _any_name

    @property
    def ends_at_once(self) -> bool:
        """Whether a deleted object is gone at once, whatever is in it but finalizers."""
        return self.grace is _at_once and self.terminate is None and self.held is _never


class Conversion(NamedTuple):
    """How a version of a kind comes from the one it is stored in, and goes back into it, losing nothing.

    Both functions take an object, or a part of one as appliers send it, give a new one (which may share parts), and leave ``kind`` and
    ``apiVersion`` to the machinery. Of such a kind's strategy only the rules count: what this version demands beside the stored one.
    Its columns are those of the stored one.
    """

    stored_as: "Kind"
    to_stored: Callable[[Object, Context], Object]
    from_stored: Callable[[Object, Context], Object]
    fields: Mapping[str, str] = MappingProxyType({})
    """Fields that selectors may name, and their names in the stored version; empty where both have the same."""
    from_any: bool = False
    """Whether an object of any other version becomes one of this in the way a stored one does."""


Converter: TypeAlias = Callable[[list[Object], GroupVersion], Awaitable[list[Object]]]
"""Brings objects of one kind, all of the same version, into another: as many, in the same order, without changing those it is given.
One that takes longer than `limits.CONVERSION_S` is cancelled, and has failed."""


class ConversionError(Exception):
    """Raised by a `Converter` that can't do its work; the text says why."""


class ForeignConversion(NamedTuple):
    """A version of a kind with a converter outside this process, which takes batches, and may be slow or fail.

    All versions that share a converter are converted from one to the other directly. What comes back may have other labels and annotations;
    the rest of its metadata stays as it was. A table of such a version shows its own columns.
    """

    stored_as: "Kind"
    converter: Converter
    fields: Mapping[str, str] = MappingProxyType({})
    """As in `Conversion`."""


class Deprecation(NamedTuple):
    """That a version of a kind is on its way out. Releases are written as ``1.33``."""

    since: str
    group: Group | None = None
    kind: str = ""
    """What to use instead, if anything."""
    gone: str = ""
    """The first release without it, once that is settled."""

    def text(self, name: str, dialect: Dialect) -> str:
        """The warning users of it get; ``name`` is version and kind."""
        told = f"{name} is deprecated in v{self.since}+" + (f", unavailable in v{self.gone}+" if self.gone else "")
        if self.group is None:
            return told
        group = self.group.name(dialect)
        version = f"{group}/{self.group.version}" if group else self.group.version
        return f"{told}; use {version} {self.kind}"


class Orphans(NamedTuple):
    """That deleting an object of a kind leaves its dependents alone, unless the deletion says otherwise: so it was before it could."""

    warning: str = ""
    """What tells those of it who say nothing."""


def status_subresource(
    *resets: str, update_rules: tuple[UpdateRule, ...] | None = None, update: Callable[[Object, Object, Context], None] | None = None
) -> Subresource:
    """The status subresource of a kind: it never writes the spec, nor what else is named; labels and annotations it may write."""
    return Subresource("status", resets=("spec", *resets), update_rules=update_rules, update=update)


STATUS = status_subresource()
_ALL_VERBS = ("create", "delete", "deletecollection", "get", "list", "patch", "update", "watch")
_ANSWERED_VERBS = ("create",)
_WORKED_OUT_VERBS = ("get", "list")


class Status(NamedTuple):
    """That objects of a kind have a status, which is kept apart from the rest.

    It is written through its subresource alone. What a create says of it is dropped: a new object starts with the schema's defaults, or
    with what ``initial`` makes of the object.
    """

    subresource: Subresource = STATUS
    initial: Callable[[Object, Context], Object] | None = None
    set_by_create: bool = False
    """Whether a create may set it after all (nodes register with theirs)."""


class Definition(NamedTuple):
    """The object of the API that defines a kind, and what it says of the objects of the kind that are stored."""

    key: Key
    """Where it is stored itself."""
    revised: int = 0
    """The revision at which it last changed how they are read, or 0: what was written up to there may have been stored under another schema
    or in another version, and is brought into the form of today when it is read."""
    reselected: int = 0
    """The revision at which the selectable fields last changed, or 0: objects written up to there may be stored beside values other than
    those they are shown with."""
    abroad: bool = False
    """Whether their converter is outside this process."""


@record()
class Kind:
    """One kind in one version of one group.

    ``schema`` holds the fields beside apiVersion, kind and metadata (which is protobuf field 1 of every object); its name is the kind's
    name, its doc the kind's description.

    A kind with an ``answer(obj, context)`` is answered and never stored: what the hook gives is the answer to a create, its only verb.
    ``answered`` alone says the same of one whose hook the composition root gives (`Answers`).
    The objects of a kind that is ``worked_out`` can only be got and listed: they are computed at each request, by a function that the
    composition root gives, and never stored.
    """

    group: Group
    plural: str
    schema: Struct
    name: str = field(init=False)
    short: tuple[str, ...] = ()
    singular: str = ""
    """If it isn't the name in lower case."""
    list_name: str = ""
    """If it isn't the name with List behind it."""
    categories: tuple[str, ...] = ()
    namespaced: bool = True
    columns: tuple[Column, ...] = ()
    name_column: bool = True
    """Whether the table begins with the name; if not, it is among the columns where the kind wants it."""
    selectable: tuple[Selectable, ...] = ()
    status: Status | None = None
    subresources: tuple[Subresource, ...] = ()
    """Besides that of the status, which comes last."""
    strategy: Strategy = field(default_factory=Strategy)
    name_rule: Callable[[str], list[str]] = dns_subdomain
    generation: bool | None = None
    """Whether ``metadata.generation`` counts changes outside metadata and a status. If not said otherwise, it does where there is one."""
    verbs: tuple[str, ...] = ()
    """If not said otherwise: create alone for a kind that is answered, get and list for one that is worked out, all for any other."""
    update_creates: bool = False
    """Whether a PUT on a name that isn't there creates it."""
    unconditional_update: bool = True
    """Whether an update without a resourceVersion overwrites."""
    confidential: bool = False
    """Whether what its objects hold is for those who read them: no error repeats what was sent."""
    deletes_to_object: bool = False
    """Whether a finished delete answers with the object rather than a Status."""
    orphans: Orphans | None = None
    """Whether its dependents are left alone by default, rather than deleted after it."""
    conversion: Conversion | ForeignConversion | None = None
    """For a version that is not the one its objects are stored in."""
    deprecated: Deprecation | str | None = None
    """Its users are warned, if this version is on its way out; with this text, if it is one."""
    served: bool = False
    """Whether a version that isn't stable is served even so, unless it is switched off."""
    answer: Answer | None = None
    answered: bool = False
    stands_for: str = ""
    """``pods/binding``: to create an object of this kind, which is answered, is to create that subresource of what it is named after."""
    worked_out: bool = False
    slow: Callable[[Object], bool] = _never
    """Whether it takes long to check an object, however short: it is done aside. What is written over an object is like it."""
    definition: Definition | None = None
    """The object of the API that defines it, if one does."""
    custom: bool = field(init=False)
    """Whether one does. Its objects have no protobuf form, take no strategic merge patches, and may carry finalizers without a domain."""

    def __post_init__(self) -> None:
        """Derive what follows from the schema and the status."""
        others = tuple(sub for sub in self.subresources if sub.name != STATUS.name)
        if self.status is None and len(others) < len(self.subresources):
            raise ValueError(f"{self.schema.name}: the status subresource comes with status=Status()")
        answered = self.answered or self.answer is not None
        if answered and self.verbs not in ((), _ANSWERED_VERBS):
            raise ValueError(f"{self.schema.name}: a kind that is answered and never stored can be created and no more")
        if self.worked_out and (answered or self.verbs not in ((), _WORKED_OUT_VERBS)):
            raise ValueError(f"{self.schema.name}: objects that are worked out can be got and listed and no more")
        for sub in (*others, self.status.subresource) if self.status else others:
            check_paths(sub.writes, sub.resets, self.topology_of(sub))
        derived = {
            "name": self.schema.name,
            "list_name": self.list_name or f"{self.schema.name}List",
            "subresources": (*others, self.status.subresource) if self.status else others,
            "verbs": self.verbs or (_ANSWERED_VERBS if answered else _WORKED_OUT_VERBS if self.worked_out else _ALL_VERBS),
            "answered": answered,
            "custom": self.definition is not None,
            "generation": self.status is not None if self.generation is None else self.generation,
        }
        for attribute, value in derived.items():
            object.__setattr__(self, attribute, value)

    def topology_of(self, sub: Subresource) -> Node:
        """How what a subresource writes merges. The schema of a custom kind needn't say anything of it."""
        return topology(object_struct(self.schema)) if sub.writes and self.definition is None else DEDUCED
