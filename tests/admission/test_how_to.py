"""The page on adding an admission plugin, followed to the letter."""

import json
import re
import types
from pathlib import Path

from svcsim.admission.chain import Chain
from svcsim.kinds.core.pod import POD
from svcsim.storage.store import LmdbStore
from tests.server.conftest import Server
from tests.server.small_kinds import NAMESPACE

PAGE = Path(__file__).resolve().parents[2] / "docs/how-to/add-an-admission-plugin.md"
PODS = "/api/v1/namespaces/default/pods"


def plugin_of_the_page() -> types.ModuleType:
    (code,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    module = types.ModuleType("team_label")
    exec(compile(code, str(PAGE), "exec"), module.__dict__)
    return module


async def test_the_plugin_of_the_page_does_what_the_page_says(tmp_path: Path):
    store = LmdbStore.open(tmp_path / "store", dialect="svcapi", durability="none")
    server = Server(store, "svcapi", (NAMESPACE, POD))
    await server.create("/api/v1/namespaces", "default")
    plugin = plugin_of_the_page().TeamLabel()
    server.core.admission = Chain((plugin,))
    container = {"name": "c", "image": "i"}
    created = await server.create(PODS, "p", spec={"containers": [container]})
    assert created["metadata"]["labels"] == {"team": "nobody"}

    class Undoing:
        name, rules = "Undoing", plugin.rules

        async def admit(self, request) -> None:
            del request.obj["metadata"]["labels"]["team"]

    server.core.admission = Chain((plugin, Undoing()))
    refused = await server.ask("POST", PODS, {"metadata": {"name": "q"}, "spec": {"containers": [container]}})
    assert refused.status == 403
    assert json.loads(refused.body)["message"] == 'pods "q" is forbidden: pods name their team in this cluster'
    await store.close()
