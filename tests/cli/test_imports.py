"""What commands import: the time a command takes is mostly the time its imports take."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SLOW = (
    "typer",
    "rich",
    "textual",
    "aiohttp",
    "asyncio",
    "cryptography",
    "jwt",
    "lmdb",
    "msgpack",
    "uvloop",
    "yaml",
    "http.client",
    "subprocess",
)
PROBE = """
import json, os, sys
import svcsim.cli.main as main
os._exit = lambda status: None
try:
    main.main(sys.argv[1:])
finally:
    print(json.dumps(sorted(sys.modules)), file=sys.stderr)
"""


def modules(*argv):
    done = subprocess.run([sys.executable, "-c", PROBE, *argv], capture_output=True, text=True, cwd=ROOT, check=True)
    return set(json.loads(done.stderr.splitlines()[-1]))


def loaded(found, names):
    return [name for name in names if name in found]


def test_get_imports_nothing_slow(stub):
    found = modules("--server", stub.url, "get", "namespaces")
    assert "svcsim.cli.verbs.get.command" in found
    assert loaded(found, SLOW) == []


def test_who_needs_no_program_to_sign_in_imports_nothing_for_it(stub):
    found = modules("--server", stub.url, "get", "namespaces")
    assert loaded(found, ("threading", "svcsim.client.credentials", "svcsim.client.plugin_config")) == []


def test_completion_asks_with_nothing_slow(stub):
    found = modules("__complete", "resource", "--server", stub.url, "get", "pods", "")
    assert "svcsim.cli.own.completion.values" in found
    assert loaded(found, SLOW) == []


@pytest.mark.parametrize("command", ["get pods -o json", "api-resources", "version", "label pod web-1 a=b", "config current-context"])
def test_commands_that_print_no_yaml_do_without_typer_and_asyncio(stub, command):
    found = modules("--server", stub.url, *command.split())
    assert loaded(found, ("typer", "rich", "textual", "aiohttp", "asyncio", "cryptography", "lmdb")) == []


@pytest.mark.parametrize(
    "command", ["describe pod web-1", "wait pod/web-1 --for=condition=Ready", "get pods -o yaml", "rollout history deploy/web"]
)
def test_no_command_that_talks_to_a_server_imports_a_server(stub, command):
    found = modules("--server", stub.url, *command.split())
    assert (
        loaded(found, ("typer", "rich", "textual", "aiohttp", "cryptography", "lmdb", "svcsim.cluster.cluster", "svcsim.kinds.all")) == []
    )


@pytest.mark.parametrize("command", ["clock --help", "status --help"])
def test_what_only_asks_a_server_does_without_asyncio(command):
    found = modules(*command.split())
    assert "svcsim.cli.own.parameters" in found
    assert loaded(found, ("rich", "textual", "aiohttp", "asyncio", "cryptography", "lmdb")) == []


@pytest.mark.parametrize("command", ["up --help", "down --help"])
def test_what_starts_and_stops_a_server_does_without_an_event_loop_and_a_connection(command):
    found = modules(*command.split())
    assert "svcsim.cli.own.lifecycle" in found
    assert loaded(found, ("asyncio", "logging", "ssl", "svcsim.clock", "svcsim.cli.shared.session")) == []


@pytest.mark.parametrize("command", ["status", "clusters", "up --help", "replay --help", "ui --help"])
def test_svcsims_own_commands_do_without_what_only_the_server_and_the_dashboard_need(command):
    found = modules(*command.split())
    assert "typer" in found
    assert (
        loaded(
            found,
            ("rich", "textual", "aiohttp", "cryptography", "lmdb", "svcsim.cluster.cluster", "svcsim.tui.app", "svcsim.scenario.runner"),
        )
        == []
    )
