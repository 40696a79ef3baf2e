"""The page on adding a controller is followed to the letter, and what comes of it works."""

import re
import types
from pathlib import Path

import pytest

from svcsim.cluster import parts
from svcsim.cluster.default_roles import own_controllers
from svcsim.meta.objects import finalizers_of, is_terminating
from tests.controllers.running import running
from tests.living import pod

PAGE = (Path(__file__).resolve().parents[1] / "docs/how-to/add-a-controller.md").read_text()
FILE, LINE, RIGHTS = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
CLAIM = {
    "metadata": {"name": "data"},
    "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}},
}
PROTECTED = ["kubernetes.io/pvc-protection"]


@pytest.mark.virtual_time
async def test_the_page_s_controller_protects_claims(monkeypatch: pytest.MonkeyPatch):
    module = types.ModuleType("pvc_protection")
    exec(compile(FILE, "pvc_protection.py", "exec"), module.__dict__)
    (line,) = eval(f"({LINE})", module.__dict__)
    monkeypatch.setattr(parts, "CONTROLLERS", (*parts.CONTROLLERS, line))
    monkeypatch.setattr(own_controllers, "BESIDES", (*own_controllers.BESIDES, *eval(RIGHTS)))
    async with running() as r:
        claims = r.client.resource("v1", "persistentvolumeclaims", "default")
        await claims.create(CLAIM)
        await r.until(lambda items: [finalizers_of(item) for item in items] == [PROTECTED], claims)
        await r.pods.create(pod("user", volumes=[{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}]))
        await r.clock.sleep(10)
        followed = len(r.cluster.informers)
        await claims.delete("data")
        await r.clock.sleep(60)
        (held,) = await claims.list_all()
        assert is_terminating(held)
        assert finalizers_of(held) == PROTECTED
        await r.pods.delete("user")
        await r.until_gone(claims, "data")
        assert len(r.cluster.informers) == followed, "it brought no watch of its own"
