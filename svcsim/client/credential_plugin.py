"""Running a credential plugin: what it is told, and what its answer is worth.

It is told in an environment variable what is wanted, and answers on its standard output. What it says on standard error goes to ours, and
where it may ask the user something it has our standard input.
"""

import os
import ssl
import subprocess
import sys

import orjson

from svcsim.client.plugin_config import Credentials, CredentialsError, Plugin, variable_of
from svcsim.meta.times import parse_time
from svcsim.meta.tls import client_context
from svcsim.meta.types import Json, Object


def obtain(plugin: Plugin) -> Credentials:
    """Run the program, and take its answer. Raises `CredentialsError`."""
    interactive = _interactive(plugin.mode)
    spec: Object = {"interactive": interactive}
    if plugin.cluster:
        spec["cluster"] = orjson.loads(plugin.cluster)
    wanted = {"kind": "ExecCredential", "apiVersion": plugin.api_version, "spec": spec}
    environment = {**os.environ, **dict(plugin.env), variable_of(plugin.api_version): orjson.dumps(wanted).decode()}
    try:
        done = subprocess.run(  # noqa: S603 - what the user's configuration names
            [plugin.command, *plugin.args],
            stdin=None if interactive else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            env=environment,
            check=False,
        )
    except FileNotFoundError as error:
        hint = f"\n\n{plugin.install_hint}" if plugin.install_hint else ""
        raise CredentialsError(f"exec: executable {plugin.command} not found{hint}") from error
    except (OSError, ValueError) as error:  # a NUL in an argument is a ValueError
        why = (error.strerror or str(error)).lower() if isinstance(error, OSError) else str(error)
        raise CredentialsError(f"exec: {plugin.command}: {why}") from error
    if done.returncode:
        ended = f"with exit code {done.returncode}" if done.returncode > 0 else f"by signal {-done.returncode}"
        raise CredentialsError(f"exec: executable {plugin.command} failed {ended}")
    return _read(plugin, done.stdout)


def _interactive(mode: str) -> bool:
    """Whether the program may ask the user. Raises `CredentialsError` where it must and can't."""
    if mode == "Never":
        return False
    terminal = sys.stdin is not None and not sys.stdin.closed and sys.stdin.isatty()
    if mode == "Always" and not terminal:
        raise CredentialsError("exec plugin cannot support interactive mode: standard input is not a terminal")
    return terminal


def _read(plugin: Plugin, output: bytes) -> Credentials:
    try:
        answer = orjson.loads(output)
    except orjson.JSONDecodeError as error:
        raise CredentialsError(f"decoding stdout: the output of {plugin.command} is not JSON: {error}") from error
    if not isinstance(answer, dict) or answer.get("kind") != "ExecCredential":
        raise CredentialsError(f"decoding stdout: {plugin.command} gave something that is no ExecCredential")
    if answer.get("apiVersion") != plugin.api_version:
        raise CredentialsError(
            f"exec plugin is configured to use API version {plugin.api_version}, plugin returned version {answer.get('apiVersion')}"
        )
    status = answer.get("status")
    if not isinstance(status, dict):
        raise CredentialsError("exec plugin didn't return a status field")
    token, certificate, key, expires = (
        _text(status.get(name), name) for name in ("token", "clientCertificateData", "clientKeyData", "expirationTimestamp")
    )
    if not (token or certificate or key):
        raise CredentialsError("exec plugin didn't return a token or cert/key pair")
    if bool(certificate) != bool(key):
        raise CredentialsError("exec plugin returned only certificate or key, not both")
    if not token.isascii() or not token.isprintable():
        raise CredentialsError("exec plugin returned a token with characters that no header can have")
    chain, signing = _pair(certificate, key) if certificate else (None, None)
    return Credentials(token, chain, signing, _moment(expires) if expires else None)


def _text(value: Json, name: str) -> str:
    if not isinstance(value, str | None):
        raise CredentialsError(f"decoding stdout: status.{name} is no text")
    return value or ""


def _pair(certificate: str, key: str) -> tuple[bytes, bytes]:
    pair = certificate.encode(), key.encode()
    try:
        client_context(verify=False, certificate_pem=pair[0], key_pem=pair[1])
    except (ssl.SSLError, OSError) as error:
        why = getattr(error, "reason", None) or "not PEM"
        raise CredentialsError(f"failed parsing client key/certificate: {why}") from error
    return pair


def _moment(text: str) -> float:
    try:
        return parse_time(text)
    except ValueError as error:
        raise CredentialsError(f"decoding stdout: status.expirationTimestamp: {error}") from error
