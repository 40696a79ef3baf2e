"""Standing behind a service as the how-to says, with a program that is really there."""

import json
from pathlib import Path

import pytest

from tests.docs.following import ROOT, Copy
from tests.outbound.program import PATH, RESOURCES, program

PAGE = ROOT / "docs" / "how-to" / "stand-behind-a-service.md"
ITS_PORT = "8443"
"""The program's, on the page."""


@pytest.fixture
def copy(tmp_path: Path):
    copy = Copy(tmp_path)
    assert "ready" in copy.run("svcsim up --dialect kubernetes --nodes 0")
    yield copy
    copy.run("svcsim down --purge")


def test_the_page_can_be_followed(copy: Copy, tmp_path: Path):
    with program(tmp_path, "my-api.default.svc") as port:
        page = tmp_path / "page.md"
        page.write_text(PAGE.read_text().replace(ITS_PORT, str(port)))
        copy.follow(page)
        waited = copy.run("svcsim wait apiservice/v1.flavours.example.com --for=condition=Available --timeout=60s")
        assert waited == "apiservice.apiregistration.k8s.io/v1.flavours.example.com condition met\n"
        assert json.loads(copy.run(f"svcsim get --raw {PATH}")) == RESOURCES
        shown = copy.run("svcsim get apiservices v1.flavours.example.com --no-headers").split()
        assert shown[:3] == ["v1.flavours.example.com", "default/my-api", "True"]
        assert "svcsim_outbound_requests_total" in copy.run("svcsim get --raw /metrics")
        assert "front-proxy" in copy.run("svcsim get configmap extension-apiserver-authentication -n kube-system -o yaml")
        copy.run("svcsim bind service/my-api --off")
        assert copy.run("svcsim bind") == (
            "No services are bound. To have a program on this machine answer: svcsim bind service/NAME [PORT:]LOCALPORT\n"
        )
