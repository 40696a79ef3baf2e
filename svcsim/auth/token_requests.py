"""TokenRequests: tokens of ServiceAccounts, made on request.

What is asked for is settled here: whom the token is for, and the object it is bound to, which has to be there. Making the token is the
signer's, and a cluster without one says so.
"""

from collections.abc import Awaitable, Callable
from typing import NamedTuple, Protocol, TypeAlias

from svcsim.meta.errors import StatusError, bad_request, conflict, not_found
from svcsim.meta.objects import name_of, namespace_of, uid_of
from svcsim.meta.quoting import quoted
from svcsim.meta.times import format_time
from svcsim.meta.types import GroupResource, Object
from svcsim.registry.kind import Context

Find: TypeAlias = Callable[[str, str, str], Awaitable[Object | None]]
"""The object of a plural of the core group, in a namespace or cluster-wide, of a name; None where there is none."""

_BINDABLE = {"Pod": "pods", "Secret": "secrets", "Node": "nodes"}
_NO_SIGNER = "this server doesn't issue service-account tokens; use the credentials that `svcsim kubeconfig` gives"


class Claim(NamedTuple):
    """What a token is to say."""

    account: Object
    audiences: tuple[str, ...]
    lifetime_s: int
    bound_to: Object | None
    """The object without which the token isn't valid."""


class Issued(NamedTuple):
    """A token, and until when it is valid, in seconds since the epoch."""

    token: str
    expires_s: float


class TokenSigner(Protocol):
    async def sign(self, claim: Claim, context: Context) -> Issued: ...


class TokenRequests:
    """Answers what is sent to an account's ``token``."""

    def __init__(self, find: Find, audiences: tuple[str, ...], signer: TokenSigner | None = None) -> None:
        """``audiences`` are the API server's own names, which a token is for if the request doesn't say."""
        self._find = find
        self._audiences = audiences
        self._signer = signer

    async def answer(self, account: Object, request: Object, context: Context) -> Object:
        """The request with the token. Raises 400, 404 and 409 for what it can't be bound to, and 501 without a signer."""
        spec = request["spec"]
        bound = spec.get("boundObjectRef")
        found = None if bound is None else await self._bound(bound, account)
        if self._signer is None:
            raise StatusError(501, "NotImplemented", _NO_SIGNER, {})
        audiences = tuple(spec.get("audiences") or self._audiences)
        issued = await self._signer.sign(Claim(account, audiences, spec["expirationSeconds"], found), context)
        return {
            **request,
            "metadata": {"name": name_of(account), "namespace": namespace_of(account), "creationTimestamp": context.timestamp},
            "spec": {**spec, "audiences": list(audiences)},
            "status": {"token": issued.token, "expirationTimestamp": format_time(issued.expires_s)},
        }

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
