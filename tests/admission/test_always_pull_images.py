"""AlwaysPullImages insists on what it has set, whatever plugins after it do; and looks at new images alone."""

import json
from pathlib import Path

from svcsim.admission.always_pull_images import AlwaysPullImages
from svcsim.admission.chain import Chain
from svcsim.admission.plugin import Rule
from svcsim.kinds.core.pod import POD
from svcsim.registry.admission import AdmissionRequest
from svcsim.storage.store import LmdbStore
from tests.server.conftest import Server
from tests.server.small_kinds import NAMESPACE

PODS = "/api/v1/namespaces/default/pods"


class Undoing:
    """Has all images of containers pulled never."""

    name, rules = "Undoing", (Rule(("CREATE", "UPDATE"), ("pods",)),)

    async def admit(self, request: AdmissionRequest) -> None:
        assert request.obj is not None
        for container in request.obj["spec"]["containers"]:
            container["imagePullPolicy"] = "Never"


async def test_what_is_undone_is_refused(tmp_path: Path) -> None:
    store = LmdbStore.open(tmp_path / "store", dialect="svcapi", durability="none")
    server = Server(store, "svcapi", (NAMESPACE, POD))
    await server.create("/api/v1/namespaces", "default")
    server.core.admission = Chain((AlwaysPullImages(), Undoing()))
    for number, count in enumerate((1, 2)):
        containers = [{"name": f"c{one}", "image": "i"} for one in range(count)]
        refused = await server.ask("POST", PODS, {"metadata": {"name": f"p{number}"}, "spec": {"containers": containers}})
        found = [f'spec.containers[{one}].imagePullPolicy: Unsupported value: "Never": supported values: "Always"' for one in range(count)]
        assert refused.status == 403
        told = found[0] if count == 1 else f"[{', '.join(found)}]"
        assert json.loads(refused.body)["message"] == f'pods "p{number}" is forbidden: {told}'
    server.core.admission = Chain((Undoing(),))
    spec = {"containers": [{"name": "c", "image": "i"}]}
    before = await server.create(PODS, "old", spec=spec)
    server.core.admission = Chain((AlwaysPullImages(),))
    before["metadata"]["labels"] = {"a": "b"}
    assert (await server.ask("PUT", f"{PODS}/old", before)).status == 200, "it brings no new image"
    await store.close()
