"""What expressions of policies and webhooks know of a request, and whom they may ask (Kubernetes' names)."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

from svcsim import limits
from svcsim.admission.described import described
from svcsim.admission.versions import Versions
from svcsim.auth.attributes import Attributes
from svcsim.auth.authorization import Authorizer, Verdict
from svcsim.auth.service_account_names import groups_of_account, user_of_account
from svcsim.meta.errors import StatusError
from svcsim.meta.field_selectors import parse_fields
from svcsim.meta.label_selectors import parse_labels
from svcsim.meta.types import Object, User
from svcsim.registry.admission import AdmissionRequest
from svcsim.registry.lister import Lister
from svcsim.registry.resource import Resource
from svcsim.schema.cel.authorizer import AUTHORIZER, OF_REQUEST, Question, Ruling
from svcsim.schema.cel.requests import RequestScope, Seen, Turns

T = TypeVar("T")

_TURNS = "expressions"
"""The note of a request that all its expressions share."""


class View(NamedTuple):
    """One request as expressions see it."""

    obj: Object | None
    whole: Seen
    of_conditions: Seen
    """As conditions see it that say who is asked: without its namespace, which isn't known to them in Kubernetes."""

    def scope(self, params: Object | None, variables: Mapping[str, str]) -> RequestScope:
        """What the expressions of one policy are asked about."""
        return _scope(self.whole, params, variables, limits.CEL_OBJECT_COST)

    def scope_of_conditions(self, params: Object | None = None) -> RequestScope:
        """What its conditions are asked about."""
        return _scope(self.of_conditions, params, {}, limits.CEL_CONDITIONS_COST)


def _scope(seen: Seen, params: Object | None, variables: Mapping[str, str], units: float) -> RequestScope:
    return RequestScope(seen if params is None else seen.but(params=params), variables, units)


@dataclass(frozen=True, slots=True)
class Asker:
    """Shows requests to expressions."""

    namespaces: Lister
    authorizer: Authorizer

    def view(self, request: AdmissionRequest, matched: Resource, shown: tuple[Object | None, Object | None]) -> View:
        """A request whose objects are ``shown`` in the version ``matched``."""
        namespace = request.target.namespace
        space = self.namespaces.get("", namespace) if namespace else None

        async def decide(question: Question) -> Ruling:
            return await self._decided(question, request.user)

        turns: Turns = request.notes.setdefault(_TURNS, Turns())
        seen = Seen(_values(request, matched, shown), decide, turns)
        return View(shown[0], seen.but(namespaceObject=space), seen)

    def views(self, request: AdmissionRequest, versions: Versions) -> "Views":
        """A request as policies see it that are asked one after the other."""
        return Views(self, versions, request)

    async def _decided(self, question: Question, user: User) -> Ruling:
        if question.account:
            namespace, _, name = question.account.partition("/")
            user = User(user_of_account(namespace, name), groups_of_account(namespace))
        narrowed = ("account", "fieldSelector", "labelSelector")
        fields = {name: value for name, value in question._asdict().items() if name not in narrowed}
        of_fields, of_labels = _understood(parse_fields, question.fieldSelector), _understood(parse_labels, question.labelSelector)
        attributes = Attributes(
            user,
            **fields,
            version="*" if question.resource else "",
            field_requirements=of_fields.requirements if of_fields is not None else (),
            label_requirements=of_labels.requirements if of_labels is not None else (),
        )
        decision = await self.authorizer.authorize(attributes)
        return Ruling(decision.verdict is Verdict.ALLOW, decision.reason, decision.incident)


class Views:
    """One request as policies see it that are asked one after the other: the same view for all that know it in the same version."""

    def __init__(self, asker: Asker, versions: Versions, request: AdmissionRequest) -> None:
        self._asker = asker
        self._versions = versions
        self._request = request
        self._obj = request.obj
        self._known: dict[Resource, View] = {}

    async def of(self, matched: Resource) -> View:
        """The request in a version, as it is now."""
        request = self._request
        if request.obj is not self._obj:
            self._obj = request.obj
            self._known.clear()
        if matched not in self._known:
            self._known[matched] = self._asker.view(request, matched, await self._versions.shown(request, matched))
        return self._known[matched]


def _understood(parse: Callable[[str], T], text: str) -> T | None:
    """A selector; None for one that can't be understood, which narrows nothing."""
    try:
        return parse(text)
    except StatusError:
        return None


def _values(request: AdmissionRequest, matched: Resource, shown: tuple[Object | None, Object | None]) -> Object:
    obj, old = shown
    return {
        "object": obj,
        "oldObject": old,
        "request": described(request, matched),
        "authorizer": {**AUTHORIZER, OF_REQUEST: _about_resource(request)},
    }


def _about_resource(request: AdmissionRequest) -> dict[str, str]:
    """The question of whether the user may do something with what the request is about."""
    group, plural = request.resource.group_resource
    about = {"group": group, "resource": plural, "subresource": request.subresource}
    return {**AUTHORIZER, **about, "namespace": request.target.namespace, "name": request.name}
