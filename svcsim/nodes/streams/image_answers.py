"""What the images answer that the walk-throughs in Kubernetes' documentation use, where they run what they are for."""

from svcsim.meta.http import Response
from svcsim.meta.types import Object
from svcsim.nodes.images.images import base_name, tag_of

_TEXTS = {
    "serve_hostname": "{hostname}",
    "hello-app": "Hello, world!\nVersion: {version}.0\nHostname: {hostname}\n",
    "node-hello": "Hello Kubernetes!",
    "kubernetes-bootcamp": "Hello Kubernetes bootcamp! | Running on: {hostname} | v={version}\n",
    "hpa-example": "OK!",
}
"""By the name of the image; to any request."""
_VERSIONS = {"hello-app": "1.0", "kubernetes-bootcamp": "1"}
"""Those of an image whose tag doesn't say one."""


def answer_of_image(container: Object, hostname: str) -> Response | None:
    """None of a container that runs something else, or of an image of which nothing is known."""
    image = container.get("image") or ""
    name, tag = base_name(image), tag_of(image).removeprefix("v")
    text = _TEXTS.get(name)
    if text is None or container.get("command") or container.get("args"):
        return None
    version = tag if tag[:1].isdecimal() else _VERSIONS.get(name, "")
    return Response(200, text.format(hostname=hostname, version=version).encode(), "text/plain; charset=utf-8")
