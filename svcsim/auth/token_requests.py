"""TokenRequests: tokens of ServiceAccounts, made on request.

What is asked for is settled here: whom the token is for, for how long it is good, and the object it is bound to, which has to be there.
Making the token is the signer's.

Pods that were written for tokens without an end may read theirs once and never again. So that they go on, a pod's token that was asked for
as the admission plugin asks for it is good for a year, and says from when on it should have been replaced.
"""

from collections.abc import Awaitable, Callable
from typing import NamedTuple, Protocol, TypeAlias

from svcsim.meta.errors import bad_request, conflict, not_found
from svcsim.meta.objects import name_of, namespace_of, uid_of
from svcsim.meta.quoting import quoted
from svcsim.meta.times import format_time
from svcsim.meta.types import GroupResource, Object
from svcsim.registry.kind import Context

Find: TypeAlias = Callable[[str, str, str], Awaitable[Object | None]]
"""The object of a plural of the core group, in a namespace or cluster-wide, of a name; None where there is none."""

_BINDABLE = {"Pod": "pods", "Secret": "secrets", "Node": "nodes"}
REPLACED_AFTER_S = 3607
"""The lifetime that stands for: as long as a pod's token should be, and longer if it isn't replaced in time."""
_EXTENDED_S = 365 * 24 * 3600


class Claim(NamedTuple):
    """What a token is to say."""

    account: Object
    audiences: tuple[str, ...]
    lifetime_s: int
    warn_after_s: int = 0
    """From when on its use is worth a note; 0 is never."""
    bound_kind: str = ""
    bound_to: Object | None = None
    """The object without which the token isn't valid."""
    node: Object | None = None
    """Where the pod is that it is bound to; a node that is gone is its name alone."""


class TokenSigner(Protocol):
    async def sign(self, claim: Claim, context: Context) -> str: ...


class Lifetimes(NamedTuple):
    """For how long tokens are good, beside what is asked for."""

    extended: bool = True
    """Whether pods' tokens are good for longer than they should be used."""
    longest_s: int = 0
    """0 is as long as anybody asks."""


class TokenRequests:
    """Answers what is sent to an account's ``token``."""

    def __init__(self, find: Find, audiences: tuple[str, ...], signer: TokenSigner, lifetimes: Lifetimes) -> None:
        """``audiences`` are the API server's own names, which a token is for if the request doesn't say."""
        self._find = find
        self._audiences = audiences
        self._signer = signer
        self._lifetimes = lifetimes

    async def answer(self, account: Object, request: Object, context: Context) -> Object:
        """The request with the token. Raises 400, 404 and 409 for what it can't be bound to."""
        spec = request["spec"]
        bound = spec.get("boundObjectRef")
        claim = Claim(account, tuple(spec.get("audiences") or self._audiences), self._lifetime(spec["expirationSeconds"], context))
        asked_s = claim.lifetime_s
        if bound is not None:
            claim = await self._bound_claim(claim, bound)
        token = await self._signer.sign(claim, context)
        return {
            **request,
            "metadata": {"name": name_of(account), "namespace": namespace_of(account), "creationTimestamp": context.timestamp},
            "spec": {**spec, "audiences": list(claim.audiences), "expirationSeconds": asked_s},
            "status": {"token": token, "expirationTimestamp": format_time(context.now + asked_s)},
        }

    def _lifetime(self, asked_s: int, context: Context) -> int:
        longest_s = self._lifetimes.longest_s
        if not longest_s or asked_s <= longest_s:
            return asked_s
        context.warn(f"requested expiration of {asked_s} seconds shortened to {longest_s} seconds")
        return longest_s

    async def _bound_claim(self, claim: Claim, reference: Object) -> Claim:
        """The claim, bound to the referenced object."""
        found, kind = await self._bound(reference, claim.account), reference["kind"]
        if kind == "Node":
            return claim._replace(bound_kind=kind, bound_to=found, node=found)
        claim = claim._replace(bound_kind=kind, bound_to=found)
        if kind != "Pod":
            return claim
        if node := found["spec"].get("nodeName"):
            claim = claim._replace(node=await self._find("nodes", "", node) or {"metadata": {"name": node}})
        own = all(audience in self._audiences for audience in claim.audiences)
        if self._lifetimes.extended and own and claim.lifetime_s == REPLACED_AFTER_S:
            claim = claim._replace(lifetime_s=_EXTENDED_S, warn_after_s=REPLACED_AFTER_S)
        return claim

    async def _bound(self, reference: Object, account: Object) -> Object:
        """The object that is meant, in the account's namespace."""
        version, kind, name = (reference.get(field) or "" for field in ("apiVersion", "kind", "name"))
        plural = _BINDABLE.get(kind)
        if plural is None or version not in ("", "v1"):
            group, _, rest = version.rpartition("/")
            raise bad_request(f"cannot bind token to object of type {group}/{rest}, Kind={kind}")
        found = await self._find(plural, "" if kind == "Node" else namespace_of(account), name)
        if found is None:
            raise not_found(GroupResource("", plural), name)
        if kind == "Pod" and (found["spec"].get("serviceAccountName") or "") != name_of(account):
            raise bad_request(
                f"cannot bind token for serviceaccount {quoted(name_of(account))} to pod running with different serviceaccount name."
            )
        uid = reference.get("uid")
        if uid and uid != uid_of(found):
            why = (
                f"the UID in the bound object reference ({uid}) does not match the UID in record. "
                "The object might have been deleted and then recreated"
            )
            raise conflict(GroupResource("", kind), name, why)
        return found
