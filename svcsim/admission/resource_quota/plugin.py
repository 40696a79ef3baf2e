"""The plugin: what takes more than is left of a quota is refused, however many write at once."""

from collections.abc import Callable, Iterable

from svcsim.admission.plugin import ANY, Rule
from svcsim.admission.resource_quota.ledger import QuotaLedger
from svcsim.admission.resource_quota.limited import LimitedResource, check_covered
from svcsim.admission.resource_quota.statuses import QuotaStatuses
from svcsim.dialect import Dialect
from svcsim.meta.objects import name_of
from svcsim.meta.pod_amounts import Quantities, quantities
from svcsim.meta.quota_usage import charge_of, concerns, is_ignored, unsaid
from svcsim.meta.types import Key, Object
from svcsim.registry.admission import AdmissionRequest
from svcsim.registry.lister import Listers

_RULES = (Rule(("CREATE",), ("*",), ANY), Rule(("UPDATE",), ("pods/resize", "services", "persistentvolumeclaims")))


class ResourceQuota:
    """In a cluster without quotas it is asked about nothing, unless there is something that only a quota gives."""

    name = "ResourceQuota"

    def __init__(
        self,
        listers: Listers,
        dialect: Dialect,
        ledger: QuotaLedger,
        statuses: QuotaStatuses,
        limited: tuple[LimitedResource, ...] = (),
    ) -> None:
        self._limited = limited
        self._quotas = listers.of("resourcequotas")
        self._dialect = dialect
        self._ledger = ledger
        self._statuses = statuses
        self._wanted = bool(limited)
        self._listeners: list[Callable[[], None]] = []
        self._quotas.on_change(self._follow)

    @property
    def rules(self) -> tuple[Rule, ...]:
        return _RULES if self._wanted else ()

    def on_change(self, listener: Callable[[], None]) -> None:
        self._listeners.append(listener)

    def _follow(self, _keys: Iterable[object]) -> None:
        wanted = bool(self._limited or self._quotas.list())
        if wanted is not self._wanted:
            self._wanted = wanted
            for listener in self._listeners:
                listener()

    async def validate(self, request: AdmissionRequest) -> None:
        quotas = self._quotas.list(request.target.namespace) if request.target.namespace else []
        if not (quotas or self._limited) or request.resource.kind.answered or is_ignored(request.resource.store_name):
            return
        await self._ledger.open(quotas)
        assert request.obj is not None
        key = Key(request.resource.store_name, request.target.namespace, request.name)
        charge = charge_of(key.resource, request.obj, self._dialect)
        if (reserved := request.notes.pop(self.name, None)) is not None:  # under a name that turned out to be taken
            self._ledger.release(reserved)
        if self._limited and request.target.namespace:
            check_covered(self._limited, request, charge, quotas)
        concerned = [quota for quota in quotas if concerns(quota, key.resource, charge)]
        growing = [quota for quota in concerned if self._grows(request, quota, self._ledger.more(*key, charge, quota))]
        # From the first look to this there is no await: nobody else was let in meanwhile.
        if not request.dry_run:
            request.notes[self.name] = self._ledger.reserve(key, charge, request.caller)
            for quota in growing:
                await self._statuses.tell(quota)

    def _grows(self, request: AdmissionRequest, quota: Object, more: Quantities) -> bool:
        """Whether more is taken of a quota. Refuses what doesn't say what it takes, and what takes more than is left."""
        assert request.obj is not None
        hard = quantities((quota.get("spec") or {}).get("hard"))
        if request.resource.plural == "pods" and (missing := unsaid(request.obj, dict(hard), self._dialect)):
            told = "; ".join(f"{name} for: {','.join(sorted(containers))}" for name, containers in missing.items())
            raise request.refusal(f"failed quota: {name_of(quota)}: must specify {told}")
        used = self._ledger.weighed(quota)
        exceeded = [name for name in sorted(more) if hard[name] < used[name] + more[name]]
        if exceeded:
            requested, taken_now, limited = (_told(amounts, exceeded) for amounts in (more, used, hard))
            raise request.refusal(f"exceeded quota: {name_of(quota)}, requested: {requested}, used: {taken_now}, limited: {limited}")
        return bool(more)


def _told(amounts: Quantities, names: list[str]) -> str:
    return ",".join(f"{name}={amounts[name]}" for name in names)
