"""The fixed objects and logs that tests show to svcsim and to kubectl."""

from pathlib import Path

from svcsim.meta.codec import decode_yaml_documents

OBJECTS = [document.value for document in decode_yaml_documents((Path(__file__).parent / "objects.yaml").read_bytes())]

LOGS = {
    ("default", "web-1", "app"): "line one\nline two\n",
    ("default", "web-1", "side"): "side\n",
    ("default", "web-2", "app"): "two\n",
}
"""By namespace, pod and container."""


def make(kind, name, api_version="v1", **parts):
    """An object; ``metadata`` is merged with the name."""
    metadata = {"name": name, **parts.pop("metadata", {})}
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, **parts}
