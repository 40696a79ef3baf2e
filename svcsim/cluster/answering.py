"""What a cluster answers beyond its objects: how it is, what it knows of them, and wishes about its machines and faults."""

import os

from svcsim.client.api import Client
from svcsim.cluster.component_statuses import component_statuses
from svcsim.cluster.keepers import Supervisor
from svcsim.cluster.later import Later
from svcsim.cluster.loopback import Loopback
from svcsim.cluster.node_ranges import ranges_of_nodes
from svcsim.cluster.process import resident_bytes
from svcsim.cluster.settings import to_json
from svcsim.cluster.surroundings import Surroundings
from svcsim.meta.errors import conflict
from svcsim.meta.http import Handler, Request
from svcsim.meta.indexed import ObjectKey
from svcsim.meta.label_selectors import LabelSelector
from svcsim.meta.types import GroupResource, Object
from svcsim.meta.webhook_faults import WEBHOOK_FAULTS
from svcsim.metrics.simulated_metrics import MetricSources, SimulatedMetrics
from svcsim.nodes.proxied.agent import Measures
from svcsim.registry.kind import WorkOut
from svcsim.server.plain.admin import Admin, NoteTime
from svcsim.server.plain.schedule_path import PATH as SCHEDULE_PATH
from svcsim.server.plain.schedule_path import SchedulePath
from svcsim.server.plain.why_path import PATH as WHY_PATH
from svcsim.server.plain.why_path import WhyPath
from svcsim.wall import stopwatch


class OwnAnswers:
    """A cluster that is asked about itself."""

    def __init__(self, given: Surroundings, later: Later, loopback: Loopback, supervisor: Supervisor, seed: int) -> None:
        self._given = given
        self._later = later
        self._supervisor = supervisor
        self._seed = seed
        self._opened_at_s = stopwatch()
        self._metrics = SimulatedMetrics(MetricSources(loopback.client, lambda: later.served_types, given.clock, str(seed), given.dialect))

    @property
    def measures(self) -> Measures:
        """What nodes tell of the use of their resources."""
        return Measures(self._metrics.summary, self._metrics.resource_series, self._metrics.cadvisor_series)

    def worked_out(self) -> dict[str, WorkOut]:
        """Who tells, by kind, what is worked out whenever somebody asks."""
        return {
            "ComponentStatus": self._component_statuses,
            "PodMetrics": self._metrics.of_pods,
            "NodeMetrics": self._metrics.of_nodes,
        }

    def paths(self, note_time: NoteTime) -> dict[str, Handler]:
        """The handlers of plain paths that aren't listed."""
        given = self._given
        admin = Admin(given.clock, given.store, self.status, self._fault, self._wish_about_nodes, self._asker, note_time)
        return {
            **admin.routes(),
            **self._metrics.routes(),
            SCHEDULE_PATH: SchedulePath(self.explain_schedule).answer,
            WHY_PATH: WhyPath(self._known_of).answer,
        }

    def status(self) -> Object:
        """What ``svcsim status`` tells."""
        spec, store, clock, manager = self._given.spec, self._given.store, self._given.clock, self._later.manager
        return {
            "pid": os.getpid(),
            "url": self._later.url,
            "dialect": self._given.dialect.name,
            "settings": to_json(spec, lambda one: one.in_scenario),
            "revision": store.revision,
            "objects": store.stats().objects,
            "rssBytes": resident_bytes(),
            "uptimeSeconds": round(stopwatch() - self._opened_at_s, 3),
            "seed": self._seed,
            "clockSpeed": clock.speed,
            "clockAheadSeconds": round(clock.ahead_s, 3),
            "controllersOff": manager.choice.off,
            "nodeRanges": [{"network": str(one.outer), "maskSize": one.prefix} for one in ranges_of_nodes(spec)],
            "trouble": store.trouble,
        }

    def stats(self) -> dict[str, float]:
        """Numbers for ``/metrics``: the store's."""
        return {f"svcsim_store_{name}": value for name, value in self._given.store.stats()._asdict().items()}

    async def explain_schedule(self, namespace: str, name: str) -> Object:
        """All there is to say about the place of a pod."""
        if self._later.scheduler is None:
            why = "no scheduler of svcsim's own runs in this cluster: it was left out with --controllers"
            raise conflict(GroupResource("", "pods"), name, why)
        return await self._later.scheduler.explainer.explain(namespace, name)

    async def _known_of(self, api_version: str, kind: str, namespace: str, name: str) -> Object:
        told, manager = await self._later.nodes.tell(api_version, kind, namespace, name), self._later.manager
        troubled = manager.troubles(ObjectKey(namespace, name))
        return {
            **told,
            **({"controllersOff": manager.choice.off} if manager.choice.off else {}),
            **({"troubles": troubled} if troubled else {}),
        }

    async def _component_statuses(self, _namespace: str, _name: str, _labels: LabelSelector | None) -> list[Object]:
        """What Kubernetes calls the parts of a control plane, and what troubles them; the store is in etcd's place."""
        trouble = self._supervisor.trouble
        return component_statuses(
            {
                "controller-manager": trouble(self._later.manager.names),
                "etcd-0": self._given.store.trouble,
                "scheduler": trouble(("scheduler",)),
            }
        )

    def _asker(self, request: Request) -> Client:
        return self._later.clients.asker(request)

    async def _wish_about_nodes(self, wish: Object | None) -> Object:
        """While a request waits for it."""
        with self._given.behind():
            return await self._later.nodes.handle(wish)

    def _fault(self, wish: Object) -> Object:
        """Put a fault in place, or take one back."""
        of_webhooks, of_nodes = self._given.webhook_faults, self._later.nodes.faults
        taken_back = wish.get("remove")
        if taken_back is not None:
            struck = of_nodes.remove(str(taken_back))
            if struck is None:
                struck = of_webhooks.remove(str(taken_back))
            return {"removed": struck is not None, "struck": struck or 0}
        return {"id": (of_webhooks if wish.get("type") in WEBHOOK_FAULTS else of_nodes).add(wish)}
