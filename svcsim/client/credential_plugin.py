"""Running a credential plugin: its input, and how its answer is read.

It gets the request in an environment variable, and answers on its standard output. In front of a terminal it is part of the command's job:
its standard error goes to the command's, it has the command's standard input if it may ask the user something, and an interrupt reaches
both. In the background, where a dashboard may have the screen, it has none of these, and is ended together with all its children.
"""

import contextlib
import os
import signal
import ssl
import subprocess
import sys
from collections.abc import Callable

import orjson

from svcsim import limits
from svcsim.client.plugin_config import Credentials, CredentialsError, Plugin, checked_token, variable_of
from svcsim.meta.times import parse_given_time
from svcsim.meta.tls import client_context
from svcsim.meta.types import Json, Object


def obtain(plugin: Plugin, started: Callable[[Callable[[], None]], None], *, aside: bool) -> Credentials:
    """Run the program, and take its answer. ``started`` is given what ends it early. Raises `CredentialsError`."""
    interactive = _interactive(plugin.mode, aside=aside)
    spec: Object = {"interactive": interactive}
    if plugin.cluster:
        spec["cluster"] = orjson.loads(plugin.cluster)
    wanted = {"kind": "ExecCredential", "apiVersion": plugin.api_version, "spec": spec}
    environment = {**os.environ, **dict(plugin.env), variable_of(plugin.api_version): orjson.dumps(wanted).decode()}
    try:
        process = subprocess.Popen(  # noqa: S603 - what the user's configuration names
            [plugin.command, *plugin.args],
            stdin=None if interactive else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL if aside else None,
            env=environment,
            start_new_session=aside,
        )
    except FileNotFoundError as error:
        hint = f"\n\n{plugin.install_hint}" if plugin.install_hint else ""
        raise CredentialsError(f"exec: executable {plugin.command} not found{hint}") from error
    except (OSError, ValueError) as error:  # a NUL in an argument is a ValueError
        why = (error.strerror or str(error)).lower() if isinstance(error, OSError) else str(error)
        raise CredentialsError(f"exec: {plugin.command}: {why}") from error
    started(lambda: _kill_all(process.pid) if aside else process.kill())
    output = _output(process)
    if len(output) > limits.PLUGIN_OUTPUT_BYTES:
        raise CredentialsError(f"decoding stdout: {plugin.command} gave more than {limits.PLUGIN_OUTPUT_BYTES} bytes")
    if process.returncode:
        ended = f"with exit code {process.returncode}" if process.returncode > 0 else f"by signal {-process.returncode}"
        raise CredentialsError(f"exec: executable {plugin.command} failed {ended}")
    return _read(plugin, output)


def _output(process: subprocess.Popen[bytes]) -> bytes:
    """What the program says, and a byte more than it may where that is too much. It has ended then, whatever happens here."""
    assert process.stdout is not None
    with process:
        try:
            output = process.stdout.read(limits.PLUGIN_OUTPUT_BYTES + 1)
            if len(output) <= limits.PLUGIN_OUTPUT_BYTES:
                process.wait()
        finally:
            if process.returncode is None:  # it may have been interrupted with us, and be putting the terminal in order
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(limits.PLUGIN_END_S)
                process.kill()
        return output


def _kill_all(group: int) -> None:
    with contextlib.suppress(ProcessLookupError):  # it has ended meanwhile
        os.killpg(group, signal.SIGKILL)


def _interactive(mode: str, *, aside: bool) -> bool:
    """Whether the program may ask the user. Raises `CredentialsError` where it must and can't."""
    if mode == "Never":
        return False
    if aside:
        if mode == "Always":
            raise CredentialsError("exec plugin cannot support interactive mode: standard input is unavailable: it is in use")
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
        found = str(answer.get("apiVersion"))[: limits.PLUGIN_QUOTED_CHARS]
        raise CredentialsError(f"exec plugin is configured to use API version {plugin.api_version}, plugin returned version {found}")
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
    checked_token(token, "exec plugin returned")
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
        return parse_given_time(text)
    except ValueError as error:
        raise CredentialsError(f"decoding stdout: status.expirationTimestamp: {error}") from error
