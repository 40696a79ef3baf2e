"""A webhook that nobody answers for, and that is asked about everything: the cluster still starts, and whoever made it can take it back."""

from pathlib import Path

import pytest

from svcsim.dialect import DIALECTS
from svcsim.meta.types import Object
from tests.process import environment, ran, served
from tests.wire.raw import Wire

MAPS = "/api/v1/namespaces/default/configmaps"


def blocking(**more: object) -> Object:
    return {
        "name": "all.example.com",
        "clientConfig": {"url": "https://127.0.0.1:1/"},
        "rules": [{"operations": ["*"], "apiGroups": ["*"], "apiVersions": ["*"], "resources": ["*/*"]}],
        "sideEffects": "None",
        "admissionReviewVersions": ["v1"],
        **more,
    }


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("options", [(), ("--enable-bootstrap-token-auth",)])
def test_the_cluster_starts_and_can_be_mended(tmp_path: Path, dialect: str, options: tuple[str, ...]) -> None:
    group = DIALECTS[dialect].group("admissionregistration")
    paths = [f"/apis/{group}/v1/{kind}webhookconfigurations" for kind in ("validating", "mutating")]
    for again in (False, True):
        with served(tmp_path, dialect, "--nodes", "1", *options) as server:
            wire = Wire(server)
            if not again:
                for path in paths:
                    wire.create(path, {"metadata": {"name": "all"}, "webhooks": [blocking()]})
                assert wire.ask("POST", MAPS, {"metadata": {"name": "one"}}).status == 500
            else:
                assert wire.ask("GET", "/api/v1/nodes").json["items"]
                assert wire.ask("POST", MAPS, {"metadata": {"name": "one"}}).status == 500
                for path in paths:
                    assert wire.ask("DELETE", f"{path}/all").status == 200
                assert wire.ask("POST", MAPS, {"metadata": {"name": "one"}}).status == 201
            wire.close()
    done = ran("clusters", env=environment(tmp_path))
    assert (done.returncode, done.stderr) == (0, "")
