"""The page on adding a controller is followed to the letter, and what comes of it works."""

import re
import types
from pathlib import Path

import pytest

from svcsim.cluster import parts
from svcsim.cluster.default_roles import own_controllers
from svcsim.meta.objects import finalizers_of, is_terminating
from tests.controllers.running import running

PAGE = (Path(__file__).resolve().parents[1] / "docs/how-to/add-a-controller.md").read_text()
FILE, LINE, RIGHTS = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
CLASS = {"metadata": {"name": "fast"}, "provisioner": "example.com/disks"}
CLAIM = {
    "metadata": {"name": "data"},
    "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}, "storageClassName": "fast"},
}
PROTECTED = ["storage.kubernetes.io/class-protection"]


@pytest.mark.virtual_time
async def test_the_page_s_controller_protects_classes(monkeypatch: pytest.MonkeyPatch):
    module = types.ModuleType("storage_class_protection")
    exec(compile(FILE, "storage_class_protection.py", "exec"), module.__dict__)
    (line,) = eval(f"({LINE})", module.__dict__)
    monkeypatch.setattr(parts, "CONTROLLERS", (*parts.CONTROLLERS, line))
    monkeypatch.setattr(own_controllers, "BESIDES", (*own_controllers.BESIDES, *eval(RIGHTS)))
    async with running() as r:
        classes = r.client.resource("storage.k8s.io/v1", "storageclasses")
        claims = r.client.resource("v1", "persistentvolumeclaims", "default")
        await classes.create(CLASS)
        await r.until(lambda items: [finalizers_of(item) for item in items if item["metadata"]["name"] == "fast"] == [PROTECTED], classes)
        await claims.create(CLAIM)
        await r.clock.sleep(10)
        followed = len(r.cluster.informers)
        await classes.delete("fast")
        await r.clock.sleep(60)
        held = await classes.get("fast")
        assert is_terminating(held)
        assert finalizers_of(held) == PROTECTED
        await claims.delete("data")
        await r.until_gone(classes, "fast")
        assert len(r.cluster.informers) == followed, "it brought no watch of its own"
