"""An operator as its users write them with kopf: it keeps a ConfigMap for each balloon. It runs in a process of its own."""

from typing import Any

import kopf
from kubernetes import client, config

GROUP, VERSION, PLURAL = "party.example.com", "v1", "balloons"


@kopf.on.startup()
def begin(settings: kopf.OperatorSettings, **_: Any) -> None:
    config.load_kube_config()
    settings.posting.enabled = settings.posting.loggers = True
    settings.persistence.finalizer = f"{GROUP}/let-go"


def _text(spec: kopf.Spec) -> dict[str, str]:
    return {"colour": spec.get("colour", "none"), "strings": str(spec["strings"])}


@kopf.on.create(GROUP, VERSION, PLURAL)
def inflate(name: str, namespace: str, spec: kopf.Spec, patch: kopf.Patch, body: kopf.Body, **_: Any) -> dict[str, str]:
    child = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": f"{name}-string"}, "data": _text(spec)}
    kopf.adopt(child, owner=body)
    client.CoreV1Api().create_namespaced_config_map(namespace, child)
    patch.status["phase"] = "Floating"
    kopf.info(body, reason="Inflated", message="it floats")
    return {"child": f"{name}-string"}


@kopf.on.update(GROUP, VERSION, PLURAL, field="spec")
def repaint(name: str, namespace: str, spec: kopf.Spec, patch: kopf.Patch, **_: Any) -> None:
    if spec.get("colour") == "invisible":
        raise kopf.PermanentError("nobody could see it")
    client.CoreV1Api().patch_namespaced_config_map(f"{name}-string", namespace, {"data": _text(spec)})
    patch.status["phase"] = "Repainted"


@kopf.on.delete(GROUP, VERSION, PLURAL)
def burst(name: str, namespace: str, **_: Any) -> None:
    bang = {"metadata": {"name": f"{name}-bang"}, "data": {"was": "deleted"}}
    client.CoreV1Api().create_namespaced_config_map(namespace, bang)
