"""Which commands there are, and where each lives. Only the module of the command that runs is imported.

The kubectl-like ones are read by `svcsim.cli.flags`, as kubectl reads them. svcsim's own are typer's.
"""

from typing import NamedTuple


class CommandEntry(NamedTuple):
    module: str
    attribute: str
    doc: str
    misuse: int = 1
    """The exit status of a command line that can't be read."""


KUBECTL_LIKE = {
    "get": CommandEntry("svcsim.cli.verbs.get.command", "GET", "Display one or many objects"),
    "describe": CommandEntry("svcsim.cli.verbs.describe", "DESCRIBE", "Show an object in detail, with its events"),
    "why": CommandEntry("svcsim.cli.verbs.why", "WHY", "Tell why objects are in the state they are in"),
    "create": CommandEntry("svcsim.cli.verbs.create.command", "CREATE", "Create objects from files or flags"),
    "apply": CommandEntry("svcsim.cli.verbs.apply.command", "APPLY", "Apply files to the cluster: create or change objects"),
    "diff": CommandEntry("svcsim.cli.verbs.diff", "DIFF", "Show what apply would change", misuse=2),
    "admit": CommandEntry("svcsim.cli.verbs.admit", "ADMIT", "Show what admission would do with objects, step by step"),
    "replace": CommandEntry("svcsim.cli.verbs.replace", "REPLACE", "Replace objects with those in files"),
    "delete": CommandEntry("svcsim.cli.verbs.delete", "DELETE", "Delete objects"),
    "patch": CommandEntry("svcsim.cli.verbs.patch", "PATCH", "Change fields of an object"),
    "run": CommandEntry("svcsim.cli.verbs.create.pod", "RUN", "Run an image in a pod"),
    "expose": CommandEntry("svcsim.cli.verbs.create.expose", "EXPOSE", "Expose pods or a workload as a service"),
    "autoscale": CommandEntry("svcsim.cli.verbs.create.autoscale", "AUTOSCALE", "Create an autoscaler for a workload"),
    "label": CommandEntry("svcsim.cli.verbs.label", "LABEL", "Set or remove labels"),
    "annotate": CommandEntry("svcsim.cli.verbs.label", "ANNOTATE", "Set or remove annotations"),
    "edit": CommandEntry("svcsim.cli.verbs.edit", "EDIT", "Edit an object in your editor"),
    "scale": CommandEntry("svcsim.cli.verbs.scale", "SCALE", "Set the number of replicas"),
    "rollout": CommandEntry("svcsim.cli.verbs.rollout", "ROLLOUT", "Follow, undo, restart or pause rollouts"),
    "logs": CommandEntry("svcsim.cli.verbs.logs", "LOGS", "Print the logs of containers"),
    "cordon": CommandEntry("svcsim.cli.verbs.drain.nodes", "CORDON", "Keep new pods away from nodes"),
    "uncordon": CommandEntry("svcsim.cli.verbs.drain.nodes", "UNCORDON", "Let new pods onto nodes again"),
    "drain": CommandEntry("svcsim.cli.verbs.drain.command", "DRAIN", "Keep new pods away from nodes, and evict those that are there"),
    "taint": CommandEntry("svcsim.cli.verbs.taint", "TAINT", "Set or remove taints of nodes"),
    "nodes": CommandEntry("svcsim.cli.verbs.nodes", "NODES", "Add, remove, fail and recover simulated nodes"),
    "top": CommandEntry("svcsim.cli.verbs.top.command", "TOP", "Show how much nodes and pods use"),
    "exec": CommandEntry("svcsim.cli.verbs.exec", "EXEC", "Execute a command in a container"),
    "attach": CommandEntry("svcsim.cli.verbs.exec", "ATTACH", "Show what a running container says, or talk to it"),
    "cp": CommandEntry("svcsim.cli.verbs.copy", "COPY", "Copy files to and from containers"),
    "port-forward": CommandEntry("svcsim.cli.verbs.port_forward", "PORT_FORWARD", "Forward local ports to a pod"),
    "certificate": CommandEntry("svcsim.cli.verbs.certificate", "CERTIFICATE", "Approve or deny requests for certificates"),
    "wait": CommandEntry("svcsim.cli.verbs.wait", "WAIT", "Wait for a condition of objects"),
    "auth": CommandEntry("svcsim.cli.verbs.auth.command", "AUTH", "Show who you are and what you may do"),
    "bind": CommandEntry("svcsim.cli.verbs.bind", "BIND", "Have a program on this machine answer for a service"),
    "webhook": CommandEntry("svcsim.cli.verbs.webhook.command", "WEBHOOK", "Work on admission webhooks of your own"),
    "explain": CommandEntry("svcsim.cli.verbs.explain.command", "EXPLAIN", "Describe the fields of a type"),
    "explain-schedule": CommandEntry(
        "svcsim.cli.verbs.explain_schedule", "EXPLAIN_SCHEDULE", "Show why a pod is where it is, or nowhere, node by node"
    ),
    "events": CommandEntry("svcsim.cli.verbs.events", "EVENTS", "List events"),
    "api-resources": CommandEntry("svcsim.cli.verbs.info", "API_RESOURCES", "List the resource types of the server"),
    "api-versions": CommandEntry("svcsim.cli.verbs.info", "API_VERSIONS", "List the API versions of the server"),
    "version": CommandEntry("svcsim.cli.verbs.info", "VERSION", "Print the versions of client and server"),
    "cluster-info": CommandEntry("svcsim.cli.verbs.info", "CLUSTER_INFO", "Show where the cluster is"),
    "config": CommandEntry("svcsim.cli.verbs.config", "CONFIG", "View and change client configurations"),
    "options": CommandEntry("svcsim.cli.help", "OPTIONS", "List the flags that all of these commands accept"),
}

OWN = {
    "up": CommandEntry("svcsim.cli.own.lifecycle", "up", "Start a cluster"),
    "down": CommandEntry("svcsim.cli.own.lifecycle", "down", "Stop a cluster"),
    "use": CommandEntry("svcsim.cli.own.use", "use", "Choose the cluster that commands go to"),
    "status": CommandEntry("svcsim.cli.own.status", "status", "Show the state of a cluster"),
    "clusters": CommandEntry("svcsim.cli.own.status", "clusters", "List the clusters"),
    "kubeconfig": CommandEntry("svcsim.cli.own.status", "kubeconfig", "Print or install a client configuration"),
    "logs-server": CommandEntry("svcsim.cli.own.status", "logs_server", "Print the log of a cluster's server"),
    "audit": CommandEntry("svcsim.cli.own.audit", "audit", "Show the last requests: who, what, and why they were let through"),
    "clock": CommandEntry("svcsim.cli.own.clock", "clock", "Show, pause, step, wind on or change the speed of a cluster's clock"),
    "ui": CommandEntry("svcsim.cli.own.ui", "ui", "Open the dashboard"),
    "user": CommandEntry("svcsim.cli.own.users", "user", "Make, list and remove users to try things as"),
    "replay": CommandEntry("svcsim.cli.own.replay", "replay", "Run scenarios and check their expectations", misuse=2),
    "completion": CommandEntry("svcsim.cli.own.completion.command", "completion", "Print a completion script for your shell"),
}
