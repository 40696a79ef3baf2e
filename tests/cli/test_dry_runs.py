"""A dry run changes nothing, whichever command it is of and whatever other flags stand beside it."""

import json
from importlib import import_module

import pytest

from svcsim.cli.commands import KUBECTL_LIKE

MANIFEST = """
apiVersion: v1
kind: ConfigMap
metadata: {name: kept, labels: {app: kept}}
data: {a: b}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, labels: {app: kept}}
spec:
  replicas: 0
  selector: {matchLabels: {app: kept}}
  template:
    metadata: {labels: {app: kept}}
    spec: {containers: [{name: a, image: "nginx:2", ports: [{containerPort: 80}]}]}
"""
CHANGED = MANIFEST.replace("a: b", "a: c").replace("nginx:2", "nginx:3") + "---\napiVersion: v1\nkind: Secret\nmetadata: {name: fresh}\n"
FILES = {
    "app.yaml": MANIFEST,
    "changed.yaml": CHANGED,
    "one.yaml": MANIFEST.partition("---")[0].replace("kept,", "other,"),
    "new.yaml": MANIFEST.replace("name: kept", "name: fresh").replace("name: web", "name: fresh"),
}
LINES = {
    "annotate": ("annotate cm kept a=b", "annotate cm --all a=b", "annotate -f app.yaml a=b --overwrite"),
    "apply": (
        "apply -f changed.yaml",
        "apply -f changed.yaml --server-side --force-conflicts",
        "apply -f changed.yaml --force",
        "apply -f changed.yaml --force --grace-period=0 --timeout=1s",
        "apply -f one.yaml --prune --all",
        "apply -f one.yaml --prune -l app=kept --prune-allowlist=core/v1/ConfigMap --prune-allowlist=apps/v1/Deployment",
    ),
    "autoscale": ("autoscale deploy web --max=3",),
    **{f"{path}cordon": (f"{path}cordon node-1",) for path in ("", "nodes ")},
    **{f"{path}uncordon": (f"{path}uncordon node-1",) for path in ("", "nodes ")},
    **{f"{path}drain": (f"{path}drain node-1 --ignore-daemonsets --delete-emptydir-data --force",) for path in ("", "nodes ")},
    "taint": ("taint node node-1 a=b:NoSchedule", "taint nodes --all a=b:NoExecute"),
    "create": ("create -f new.yaml", "create -f new.yaml --save-config"),
    "auth reconcile": ("auth reconcile -f app.yaml --dry-run=client",),
    "create clusterrole": ("create clusterrole fresh --verb=get --resource=pods",),
    "create clusterrolebinding": ("create clusterrolebinding fresh --clusterrole=view --group=dev",),
    "create configmap": ("create configmap fresh --from-literal=a=b --append-hash",),
    "create cronjob": ("create cronjob fresh --image=a --schedule='* * * * *'",),
    "create deployment": ("create deployment fresh --image=a",),
    "create job": ("create job fresh --image=a",),
    "create namespace": ("create namespace fresh",),
    "create priorityclass": ("create priorityclass fresh --value=1",),
    "create quota": ("create quota fresh --hard=pods=1",),
    "create role": ("create role fresh --verb=get --resource=pods",),
    "create rolebinding": ("create rolebinding fresh --clusterrole=view --group=dev",),
    "create secret docker-registry": ("create secret docker-registry fresh --docker-username=a --docker-password=b --docker-server=c",),
    "create secret generic": ("create secret generic fresh --from-literal=a=b",),
    "create secret tls": (),  # needs a pair of keys; it is made and sent as the others are
    "create service clusterip": ("create service clusterip fresh --tcp=80",),
    "create service externalname": ("create service externalname fresh --external-name=a.b",),
    "create service loadbalancer": ("create service loadbalancer fresh --tcp=80",),
    "create service nodeport": ("create service nodeport fresh --tcp=80",),
    "create serviceaccount": ("create serviceaccount fresh",),
    "delete": (
        "delete cm kept",
        "delete cm kept --now",
        "delete cm kept --force",
        "delete cm,deploy --all --force --grace-period=0",
        "delete cm -l app=kept --cascade=orphan",
        "delete deploy web --cascade=foreground --wait --timeout=1s",
        "delete -f app.yaml --now",
    ),
    "expose": ("expose deploy web",),
    "label": ("label cm kept a=b", "label cm --all app-", "label -f app.yaml app=other --overwrite"),
    "patch": ('patch deploy web -p \'{"spec":{"replicas":1}}\'', "patch cm kept --type=merge -p '{\"data\":null}'"),
    "replace": (
        "replace -f changed.yaml",
        "replace -f changed.yaml --force",
        "replace -f changed.yaml --force --grace-period=0",
        "replace -f changed.yaml --save-config",
    ),
    "rollout undo": ("rollout undo deploy/web", "rollout undo deploy/web --to-revision=1"),
    "run": ("run fresh --image=a", "run fresh --image=a --port=80 --expose"),
    "scale": ("scale deploy web --replicas=1", "scale deploy --all --replicas=1 --timeout=1s", "scale -f app.yaml --replicas=1"),
}
"""Command lines of every command that knows ``--dry-run``."""


def knows_dry_run(command, path):
    """A command and those below it that have the flag, by what is typed."""
    if any(flag.name == "dry-run" for flag in command.flags):
        yield path
    for sub in command.subcommands:
        yield from knows_dry_run(sub, f"{path} {sub.name}")


def test_every_command_that_knows_dry_runs_is_tried():
    commands = {name: getattr(import_module(entry.module), entry.attribute) for name, entry in KUBECTL_LIKE.items()}
    assert sorted(path for name, command in commands.items() for path in knows_dry_run(command, name)) == sorted(LINES)


@pytest.fixture
def on(cluster, run, work_among):
    """Run a command line on the cluster, in a directory with files."""
    work_among(FILES)
    return lambda command: run(f"--kubeconfig {cluster.kubeconfig} {command}")


@pytest.fixture
def state(on):
    """What is there, object by object, with its revision."""
    on("apply -f app.yaml")
    on('patch deploy web -p \'{"spec":{"template":{"metadata":{"labels":{"x":"y"}}}}}\'')
    assert on("rollout status deploy/web --timeout=30s").status == 0
    reason = '{.status.conditions[?(@.type=="Progressing")].reason}'
    assert on(f"wait deploy/web --for=jsonpath='{reason}'=NewReplicaSetAvailable --timeout=30s").status == 0

    def state():
        types = "cm,deploy,rs,pods,secrets,svc,sa,hpa,ns"
        found = json.loads(on(f"get {types} -o json").out)["items"]
        return {(obj["kind"], obj["metadata"]["name"]): obj["metadata"]["resourceVersion"] for obj in found}

    return state


@pytest.mark.parametrize("command", LINES)
def test_a_dry_run_changes_nothing(command, on, state):
    before = state()
    for line in LINES[command]:
        for flag in ("--dry-run=client", "--dry-run=server", "--dry-run"):
            told = on(f"{line} {flag}")
            assert state() == before, (line, flag, told)
            assert told.status == 0 or "rror" in told.err, (line, flag, told)
    assert before["ConfigMap", "kept"]
    assert before["Deployment", "web"]
