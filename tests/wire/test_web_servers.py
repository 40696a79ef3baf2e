"""Web servers of well-known images: what stands in their document root is served, and nothing else."""

import pytest

from svcsim.meta.types import Object
from tests.wire.raw import Answer, Wire
from tests.wire.test_streams import pod, run_pod

ROOT = "/usr/share/nginx/html"
VOLUME = {"name": "pages", "configMap": {"name": "pages"}}


def server(wire: Wire, ns: str, *volumes: Object, **container: object) -> str:
    """The path of a pod that runs nginx."""
    wire.create(
        f"/api/v1/namespaces/{ns}/configmaps", {"metadata": {"name": "pages"}, "data": {"a.css": "p {}", "index.html": "<h1>mine</h1>"}}
    )
    made = pod("web", **{"image": "nginx:1.29", **container})
    made["spec"]["volumes"] = list(volumes)
    return run_pod(wire, ns, made)


def seen(answer: Answer) -> tuple[int, str, bytes]:
    return answer.status, answer.headers["content-type"], answer.body


def test_files_of_a_volume_are_served(wire: Wire, ns: str):
    web = server(wire, ns, VOLUME, volumeMounts=[{"name": "pages", "mountPath": ROOT}])
    assert seen(wire.ask("GET", f"{web}/proxy/")) == (200, "text/html", b"<h1>mine</h1>")
    assert seen(wire.ask("GET", f"{web}/proxy/index.html?x=1")) == (200, "text/html", b"<h1>mine</h1>")
    assert seen(wire.ask("GET", f"{web}/proxy/%61.css")) == (200, "text/css", b"p {}")
    head = wire.ask("HEAD", f"{web}/proxy/%61.css")
    assert (head.status, head.headers["content-length"], head.body) == (200, "4", b"")


@pytest.mark.parametrize(
    ("image", "port"),
    [("registry.k8s.io/nginx-slim:0.21", 80), ("k8s.gcr.io/nginx-slim:0.8", 80), ("nginxinc/nginx-unprivileged:1.25", 8080)],
)
def test_images_that_have_a_well_known_server_in_them_serve_its_files(wire: Wire, ns: str, image: str, port: int):
    web = server(wire, ns, VOLUME, image=image, ports=[], volumeMounts=[{"name": "pages", "mountPath": ROOT}])
    assert seen(wire.ask("GET", f"{web}:{port}/proxy/a.css")) == (200, "text/css", b"p {}")


def test_a_path_without_a_file_is_404_and_tells_who_says_so(wire: Wire, ns: str):
    web = server(wire, ns)
    for path in ("/nope", "/index.html/below", "/%2e%2e/%2e%2e/etc/passwd", "/..%2f..%2fetc/passwd"):
        missing = wire.ask("GET", f"{web}/proxy{path}")
        assert (missing.status, missing.json["pod"]) == (404, "web"), path


def test_the_front_page_tells_who_it_is_until_there_is_another(wire: Wire, ns: str):
    web = server(wire, ns)
    assert wire.ask("GET", f"{web}/proxy/").json["path"] == "/"
    assert b"<h1>Welcome</h1>" in wire.ask("GET", f"{web}/proxy/index.html").body
    posted = wire.ask("POST", f"{web}/proxy/anything", b"x")
    assert (posted.status, posted.json["method"]) == (200, "POST")


def test_what_runs_a_command_of_its_own_is_no_web_server(wire: Wire, ns: str):
    web = server(wire, ns, command=["sleep", "1d"])
    assert wire.ask("GET", f"{web}/proxy/nope").json["path"] == "/nope"
