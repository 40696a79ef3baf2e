"""What expressions of policies and webhooks know of a request, and whom they may ask (spec 2.10; Kubernetes' names)."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from svcsim import limits
from svcsim.admission.described import described
from svcsim.auth.attributes import Attributes
from svcsim.auth.authorization import Authorizer, Verdict
from svcsim.auth.service_account_names import groups_of_account, user_of_account
from svcsim.meta.errors import StatusError
from svcsim.meta.selectors import parse_fields, parse_labels
from svcsim.meta.types import Object, User
from svcsim.registry.admission import AdmissionRequest
from svcsim.registry.lister import Lister
from svcsim.registry.scheme import Resource
from svcsim.schema.cel.authorizer import AUTHORIZER, OF_REQUEST, Question, Ruling
from svcsim.schema.cel.requests import RequestScope, Turns

T = TypeVar("T")

_TURNS = "expressions"
"""The note of a request that all its expressions share."""


@dataclass(frozen=True, slots=True)
class Asker:
    """Makes scopes for expressions."""

    namespaces: Lister
    authorizer: Authorizer

    def scope(
        self,
        request: AdmissionRequest,
        matched: Resource,
        shown: tuple[Object | None, Object | None],
        params: Object | None = None,
        variables: Mapping[str, str] | None = None,
    ) -> RequestScope:
        """What expressions see of a request whose objects are ``shown`` in the version ``matched``."""
        namespace = request.target.namespace
        space = self.namespaces.get("", namespace) if namespace else None
        values = {**_values(request, matched, shown, params), "namespaceObject": space}
        return self._scope(request, values, variables or {}, limits.CEL_OBJECT_COST)

    def scope_of_conditions(
        self, request: AdmissionRequest, matched: Resource, shown: tuple[Object | None, Object | None], params: Object | None = None
    ) -> RequestScope:
        """What conditions see that say who is asked about the request: not its namespace, which isn't known to them in Kubernetes."""
        return self._scope(request, _values(request, matched, shown, params), {}, limits.CEL_CONDITIONS_COST)

    def _scope(self, request: AdmissionRequest, values: Object, variables: Mapping[str, str], units: float) -> RequestScope:
        async def decide(question: Question) -> Ruling:
            return await self._decided(question, request.user)

        turns: Turns = request.notes.setdefault(_TURNS, Turns())
        turns.begin()
        return RequestScope(values, decide, variables, turns, units)

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


def _understood(parse: Callable[[str], T], text: str) -> T | None:
    """A selector; None for one that can't be understood, which narrows nothing."""
    try:
        return parse(text)
    except StatusError:
        return None


def _values(request: AdmissionRequest, matched: Resource, shown: tuple[Object | None, Object | None], params: Object | None) -> Object:
    obj, old = shown
    return {
        "object": obj,
        "oldObject": old,
        "request": described(request, matched),
        "params": params,
        "authorizer": {**AUTHORIZER, OF_REQUEST: _about_resource(request)},
    }


def _about_resource(request: AdmissionRequest) -> dict[str, str]:
    """The question of whether the user may do something with what the request is about."""
    group, plural = request.resource.group_resource
    about = {"group": group, "resource": plural, "subresource": request.subresource}
    return {**AUTHORIZER, **about, "namespace": request.target.namespace, "name": request.name}
