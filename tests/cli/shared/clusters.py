"""Clusters as far as a command sees them: a directory, a held lock, and a server that answers."""

import json
import os
from contextlib import contextmanager

from svcsim.cli.shared import state


def config(path, **servers):
    """A client configuration with a context for each server; the first is current."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(
        json.dumps(
            {
                "apiVersion": "v1",
                "kind": "Config",
                "current-context": next(iter(servers)),
                "clusters": [{"name": name, "cluster": {"server": url}} for name, url in servers.items()],
                "users": [{"name": name, "user": {}} for name in servers],
                "contexts": [{"name": name, "context": {"cluster": name, "user": name}} for name in servers],
            }
        )
    )
    return path


def stopped(name, **settings):
    """A cluster that was up once."""
    cluster = state.cluster_dir(name)
    cluster.path.mkdir(parents=True)
    os.close(state.hold(cluster.lock_file))
    state.write_json(cluster.settings_file, {"dialect": "svcapi", **settings})
    return cluster


@contextmanager
def running(name, url):
    """A cluster that runs for as long as the context lasts."""
    cluster = stopped(name)
    config(cluster.kubeconfig, **{f"svcsim-{name}": url})
    state.write_json(cluster.server_file, {"url": url, "dialect": "svcapi"})
    held = state.hold(cluster.lock_file)
    try:
        yield cluster
    finally:
        os.close(held)
