"""Signing in at an identity provider by a plugin, as users of ``kubectl oidc-login`` do: the whole way round, with real parts alone.

A provider over TLS, a cluster that trusts it, a plugin that keeps an id token and turns its refresh token into the next one, and clients
that know nothing but how to call the plugin.
"""

import json
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from svcsim.dialect import DIALECTS, KUBERNETES
from tests.auth.oidc.provider import CLIENT, Provider, providing
from tests.process import SVCSIM, ServerProcess, answered, environment, served
from tests.wire.raw import Wire

PLUGIN = """#!{python}
import base64, json, pathlib, ssl, sys, time, urllib.error, urllib.parse, urllib.request

kept = pathlib.Path({kept!r})
issuer, client, ca = sys.argv[1:4]
session = json.loads(kept.read_text())


def claims(token):
    body = token.split(".")[1]
    return json.loads(base64.urlsafe_b64decode(body + "=" * (-len(body) % 4)))


def ask(url, form=None):
    data = urllib.parse.urlencode(form).encode() if form else None
    with urllib.request.urlopen(url, data, context=ssl.create_default_context(cafile=ca)) as answer:
        return json.load(answer)


if claims(session["id_token"])["exp"] <= time.time() if session.get("id_token") else True:
    where = ask(issuer + "/.well-known/openid-configuration")["token_endpoint"]
    form = dict(grant_type="refresh_token", client_id=client, refresh_token=session["refresh_token"])
    try:
        session = ask(where, form)
    except urllib.error.HTTPError as error:
        sys.exit("get-token: sign in again: " + json.load(error)["error"])
    kept.write_text(json.dumps(session))
ends = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(claims(session["id_token"])["exp"]))
info = {{"apiVersion": {version!r}, "kind": "ExecCredential", "status": {{"token": session["id_token"], "expirationTimestamp": ends}}}}
print(json.dumps(info))
"""


class Site(NamedTuple):
    server: ServerProcess
    provider: Provider
    directory: Path
    config: Path

    def signed_in(self, **session: str) -> None:
        """Let the plugin keep what it has after somebody has signed in with a browser."""
        (self.directory / "session").write_text(json.dumps({"refresh_token": self.provider.sign_in("jane"), **session}))


@pytest.fixture(scope="module", params=list(DIALECTS))
def site(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    directory = tmp_path_factory.mktemp(request.param)
    version = f"client.authentication.{'k8s.io' if request.param == 'kubernetes' else 'svcapi.io'}/v1"
    plugin = directory / "get-token"
    plugin.write_text(PLUGIN.format(python=sys.executable, kept=str(directory / "session"), version=version))
    plugin.chmod(plugin.stat().st_mode | stat.S_IXUSR)
    with providing(directory) as provider:
        options = ("--oidc-issuer-url", provider.url, "--oidc-client-id", CLIENT, "--oidc-ca-file", str(provider.ca))
        with served(directory / "home", request.param, "--nodes", "0", *options, "--oidc-username-prefix", "oidc:") as server:
            config = json.loads(server.kubeconfig.read_text())
            words = {"command": str(plugin), "args": [provider.url, CLIENT, str(provider.ca)], "installHint": "install get-token"}
            config["users"] = [{"name": "jane", "user": {"exec": {**words, "apiVersion": version, "interactiveMode": "Never"}}}]
            config["contexts"][0]["context"]["user"] = "jane"
            (directory / "config").write_text(json.dumps(config))
            yield Site(server, provider, directory, directory / "config")


Run = Callable[..., subprocess.CompletedProcess[str]]


def clients(site: Site) -> Iterator[Run]:
    """Ours, and where that is to be had and knows the cluster's words, the one that everybody uses."""
    programs = [SVCSIM]
    if site.server.dialect is KUBERNETES and shutil.which("kubectl"):
        programs.append("kubectl")
    for program in programs:

        def run(*words: str, program: str = program) -> subprocess.CompletedProcess[str]:
            return answered([program, "--kubeconfig", str(site.config), *words], environment(site.directory))

        yield run


def test_a_refresh_token_gets_one_in_and_keeps_one_in(site: Site) -> None:
    for run in clients(site):
        site.signed_in()
        site.provider.asked.clear()
        for _ in range(2):
            told = run("auth", "whoami", "-o", "jsonpath={.status.userInfo.username}")
            assert (told.stdout, told.stderr) == ("oidc:jane", "")
        assert site.provider.asked.count("/token") == 1, "the second time the id token is still good"
        refused = run("get", "configmaps")
        assert 'User "oidc:jane" cannot list resource "configmaps"' in refused.stderr


def test_an_id_token_that_has_ended_is_renewed(site: Site) -> None:
    ended = site.provider.token(exp=1)
    wire = Wire(site.server)
    assert wire.ask("GET", "/version", token=ended).status == 401
    wire.close()
    for run in clients(site):
        site.signed_in(id_token=ended)
        site.provider.asked.clear()
        assert run("auth", "whoami", "-o", "jsonpath={.status.userInfo.username}").stdout == "oidc:jane"
        assert site.provider.asked.count("/token") == 1


def test_whoever_is_signed_out_is_told_what_the_plugin_says(site: Site) -> None:
    for run in clients(site):
        site.signed_in()
        site.provider.sessions.clear()
        told = run("get", "configmaps")
        assert told.returncode == 1
        assert "get-token: sign in again: invalid_grant" in told.stderr
        assert "Traceback" not in told.stderr
