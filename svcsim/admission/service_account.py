"""ServiceAccount: every pod runs as an account of its namespace, and is given what that account has.

A pod that names none runs as ``default``. The account has to be there. What it gives to its pods are the names of secrets for pulling
images, and a volume with a token, unless pod or account decline it.

The ``default`` account is made by a controller, a moment after its namespace. Creating a namespace and at once a pod in it is valid: the
pod waits for a while.
"""

import asyncio
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager

from svcsim import limits
from svcsim.admission.mountable_secrets import is_enforced, trespasses
from svcsim.admission.plugin import Rule
from svcsim.admission.token_volume import TokenVolume
from svcsim.dialect import Dialect
from svcsim.meta.indexed import ObjectKey
from svcsim.meta.names import DEFAULT_SERVICE_ACCOUNT
from svcsim.meta.objects import annotations_of
from svcsim.meta.quoting import quoted
from svcsim.meta.types import Object
from svcsim.registry.admission import AdmissionRequest
from svcsim.registry.lister import Listers

_EPHEMERAL = "ephemeralcontainers"


class ServiceAccount:
    """Gives new pods their account and what comes with it, and refuses those that may not have what they ask for."""

    name = "ServiceAccount"
    rules = (Rule(("CREATE",), ("pods",)), Rule(("UPDATE",), (f"pods/{_EPHEMERAL}",)))

    def __init__(self, listers: Listers, dialect: Dialect, behind: Callable[[], AbstractContextManager[None]]) -> None:
        """``behind`` is held while a request waits for a controller, which would otherwise wait for the request."""
        self._dialect = dialect
        self._accounts = listers.of("serviceaccounts")
        self._accounts.on_change(self._arrived)
        self._behind = behind
        self._awaited: dict[asyncio.Future[None], ObjectKey] = {}
        self._volume = TokenVolume(dialect)
        self._mirror = dialect.key("config.mirror")

    async def admit(self, request: AdmissionRequest) -> None:
        assert request.obj is not None
        if request.subresource or self._mirror in annotations_of(request.obj):
            return
        spec = request.obj["spec"]
        name = spec.get("serviceAccountName") or spec.get("serviceAccount") or DEFAULT_SERVICE_ACCOUNT
        spec["serviceAccountName"] = spec["serviceAccount"] = name
        account = await self._account(request, name)
        if _wants_token(spec, account):
            self._volume.mount(spec, account)
        if not spec.get("imagePullSecrets") and account.get("imagePullSecrets"):
            spec["imagePullSecrets"] = [dict(secret) for secret in account["imagePullSecrets"]]

    async def validate(self, request: AdmissionRequest) -> None:
        """Also what others have made of the pod."""
        assert request.obj is not None
        spec = request.obj["spec"]
        if self._mirror in annotations_of(request.obj):
            why = _mirror_trespass(spec)
            if why:
                raise request.refusal(why)
            return
        name = spec.get("serviceAccountName")
        if not name:
            raise request.refusal(f"no service account specified for pod {request.namespace}/{request.name}")
        account = await self._account(request, name)
        if is_enforced(account, self._dialect):
            for why in trespasses(account, spec, ephemeral=request.subresource == _EPHEMERAL):
                raise request.refusal(why)

    async def _account(self, request: AdmissionRequest, name: str) -> Object:
        found = self._accounts.get(request.namespace, name)
        if found is None and name == DEFAULT_SERVICE_ACCOUNT:
            found = await self._arriving(ObjectKey(request.namespace, name))
        if found is None:
            what = f"service account {request.namespace}/{name}"
            raise request.refusal(f"error looking up {what}: serviceaccount {quoted(name)} not found")
        return found

    async def _arriving(self, key: ObjectKey) -> Object | None:
        """The account, once it is there; None if it doesn't come."""
        there: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._awaited[there] = key
        try:
            with self._behind():
                async with asyncio.timeout(limits.DEFAULT_ACCOUNT_WAIT_S):
                    await there
        except TimeoutError:
            return None
        finally:
            del self._awaited[there]
        return self._accounts.get(*key)

    def _arrived(self, keys: Iterable[ObjectKey]) -> None:
        if self._awaited:
            changed = tuple(keys)
            for there, key in self._awaited.items():
                if key in changed and not there.done() and self._accounts.get(*key) is not None:
                    there.set_result(None)


def _wants_token(spec: Object, account: Object) -> bool:
    """As the pod says, else as its account says, else yes."""
    for said in (spec.get("automountServiceAccountToken"), account.get("automountServiceAccountToken")):
        if said is not None:
            return bool(said)
    return True


def _mirror_trespass(spec: Object) -> str:
    """What a pod may not have that its node was given beside the API: there is nobody who would have allowed it."""
    if spec.get("serviceAccountName"):
        return "a mirror pod may not reference service accounts"
    volumes = spec.get("volumes") or ()
    if any("secret" in volume for volume in volumes) or next(trespasses({"metadata": {}}, spec), None):
        return "a mirror pod may not reference secrets"
    projected = [source for volume in volumes for source in (volume.get("projected") or {}).get("sources") or ()]
    if any("serviceAccountToken" in source for source in projected):
        return "a mirror pod may not use ServiceAccountToken volume projections"
    return ""
