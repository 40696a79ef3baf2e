"""Client configurations ("kubeconfigs"): where a cluster is, and as whom to talk to it.

Read as kubectl reads them: several files merged (what stands first wins), relative paths relative to the file they stand in. Our own
files are written as JSON, which is YAML too and spares commands the import of yaml.
"""

import base64
import os
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import orjson

from svcsim.client.config_lock import changing
from svcsim.meta.client_configuration import SECTIONS, read_content, resolve_paths
from svcsim.meta.client_configuration import KubeconfigError as KubeconfigError  # noqa: PLC0414 - whoever uses this room meets them here
from svcsim.meta.client_configuration import empty as empty  # noqa: PLC0414
from svcsim.meta.client_configuration import find_entry as find_entry  # noqa: PLC0414
from svcsim.meta.client_configuration import read_file as read_file  # noqa: PLC0414
from svcsim.meta.files import make_directory, write_whole
from svcsim.meta.types import Object

if TYPE_CHECKING:
    import ssl

    from svcsim.client.credentials import CredentialSource
    from svcsim.client.plugin_config import Credentials

_METHODS = (("token", ("token",)), ("basicAuth", ("username", "password")))
"""Ways of saying who one is that rule each other out, with the fields that say it."""
_CONTENTS = ("", "-data")
"""Behind a field's name: for what stands in a file, and for what stands in its place."""
_HEADER_SIGNS = frozenset("!#$&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")


@dataclass(frozen=True, slots=True)
class Access:
    """How to reach one cluster, and as whom. What the configuration keeps in files has been read, but for what is renewed there."""

    server: str
    namespace: str = ""
    ca_pem: bytes | None = None
    insecure: bool = False
    tls_server_name: str = ""
    user: str = field(default="", compare=False)
    """The name of the user in the configuration."""
    token: str = field(default="", repr=False)
    username: str = ""
    password: str = field(default="", repr=False)
    certificate_pem: bytes | None = None
    key_pem: bytes | None = field(default=None, repr=False)
    source: "CredentialSource | None" = None
    """Where token or certificate come from, if they aren't written down."""
    impersonate: str = ""
    impersonate_groups: tuple[str, ...] = ()
    impersonate_uid: str = ""
    impersonate_extra: tuple[tuple[str, str], ...] = ()

    def signed_in(self, credentials: "Credentials") -> "Access":
        """This access with the credentials that a source gave, in addition to those in the file."""
        return replace(
            self,
            token=credentials.token or self.token,
            certificate_pem=credentials.certificate_pem or self.certificate_pem,
            key_pem=credentials.key_pem or self.key_pem,
        )

    def headers(self) -> list[tuple[str, str]]:
        """The headers that say who is asking; some come several times."""
        headers: list[tuple[str, str]] = []
        if self.token:
            headers.append(("authorization", f"Bearer {self.token}"))
        elif self.username:
            pair = base64.b64encode(f"{self.username}:{self.password}".encode()).decode()
            headers.append(("authorization", f"Basic {pair}"))
        if self.impersonate:
            headers.append(("impersonate-user", self.impersonate))
        if self.impersonate_uid:
            headers.append(("impersonate-uid", self.impersonate_uid))
        headers += [("impersonate-group", group) for group in self.impersonate_groups]
        headers += [(f"impersonate-extra-{_in_header_name(name)}", value) for name, value in self.impersonate_extra]
        return headers

    def ssl_context(self) -> "ssl.SSLContext | None":
        """TLS for this cluster and user; None for a plain ``http`` server."""
        if not self.server.startswith("https:"):
            return None
        from svcsim.meta.tls import client_context  # noqa: PLC0415 - plain connections need no TLS

        return client_context(ca_pem=self.ca_pem, certificate_pem=self.certificate_pem, key_pem=self.key_pem, verify=not self.insecure)


def default_paths(explicit: str = "") -> list[Path]:
    """The files to read: ``--kubeconfig``, or what ``$KUBECONFIG`` lists, or ``~/.kube/config``."""
    if explicit:
        return [Path(explicit)]
    listed = [Path(part) for part in os.environ.get("KUBECONFIG", "").split(os.pathsep) if part]
    return listed or [Path.home() / ".kube" / "config"]


def load(paths: list[Path], *, must_exist: bool = False) -> Object:
    """All files merged into one configuration. A file that isn't there counts as empty, unless ``must_exist``."""
    merged = empty()
    seen: dict[str, set[str]] = {section: set() for section in SECTIONS}
    for path in paths:
        config = read_file(path)
        if config is None:
            if must_exist:
                raise KubeconfigError(f"stat {path}: no such file or directory")
            continue
        resolve_paths(config, path.parent)
        merged["current-context"] = merged["current-context"] or config.get("current-context") or ""
        for section, names in seen.items():
            for entry in config.get(section) or []:
                if entry.get("name") not in names:
                    names.add(entry.get("name"))
                    merged[section].append(entry)
    return merged


def resolve(config: Object, context: str = "", *, cluster: str = "", user: str = "", server: str = "") -> Access:
    """What a context (default: the current one) comes to. ``cluster``, ``user`` and ``server`` replace what it names."""
    context = context or config.get("current-context") or ""
    if not context and not cluster and not server:
        raise KubeconfigError("no cluster is configured: run `svcsim up`, or name a context with --context")
    chosen = find_entry(config, "contexts", context) if context else {}
    if chosen is None:
        raise KubeconfigError(f'context "{context}" does not exist')
    cluster = cluster or chosen.get("cluster", "")
    where = find_entry(config, "clusters", cluster)
    if where is None and server:
        where = {}
    if where is None:
        raise KubeconfigError(f'cluster "{cluster}" does not exist')
    found = find_entry(config, "users", user or chosen.get("user", ""))
    if user and found is None:
        raise KubeconfigError(f'auth info "{user}" does not exist')
    who, user = found or {}, user or chosen.get("user", "")
    _check_user(who, user)
    address = server or str(where.get("server", ""))
    _check_address(address)
    access = Access(
        server=address.rstrip("/"),
        namespace=chosen.get("namespace", ""),
        ca_pem=read_content(where, "certificate-authority"),
        insecure=bool(where.get("insecure-skip-tls-verify")),
        tls_server_name=where.get("tls-server-name", ""),
        user=user,
        token=who.get("token", ""),
        username=who.get("username", ""),
        password=who.get("password", ""),
        certificate_pem=read_content(who, "client-certificate"),
        key_pem=read_content(who, "client-key"),
        impersonate=who.get("as", ""),
        impersonate_groups=tuple(who.get("as-groups") or ()),
        impersonate_uid=who.get("as-uid", ""),
        impersonate_extra=tuple((name, value) for name, values in (who.get("as-user-extra") or {}).items() for value in values),
    )
    source = _source(access, where, who, user)
    now = source.fresh if source is not None else None  # a file has been read, a program hasn't been run
    return replace(access if now is None else access.signed_in(now), source=source)


def _check_user(who: Object, user: str) -> None:
    """Refuse a user who could be known by several of the ways that are written down, or by half of one."""
    methods = [name for name, fields in _METHODS if any(who.get(field) for field in fields)]
    if len(methods) > 1:
        raise KubeconfigError(f"more than one authentication method found for {user}; found [{' '.join(methods)}], only one is allowed")
    if any(who.get(f"client-certificate{kind}") for kind in _CONTENTS):
        for name, short in (("client-certificate", "client-cert"), ("client-key", "client-key")):
            if all(who.get(f"{name}{kind}") for kind in _CONTENTS):
                raise KubeconfigError(f"{short}-data and {short} are both specified for {user}: leave one of them away")
        if not any(who.get(f"client-key{kind}") for kind in _CONTENTS):
            lacking = f"client-key-data or client-key must be specified for {user}"
            raise KubeconfigError(f"{lacking} to use the clientCert authentication method.")


def _source(access: Access, cluster: Object, who: Object, user: str) -> "CredentialSource | None":
    """Where the user's credentials come from, if they aren't written down. A token that is, wins."""
    if "auth-provider" in who and who.get("exec"):
        raise KubeconfigError(f"authProvider cannot be provided in combination with an exec plugin for {user}")
    if "auth-provider" in who:
        raise KubeconfigError(
            f'user "{user}" has an auth-provider, which clients know no more: use an exec plugin instead (for OpenID Connect: kubelogin)'
        )
    if not who.get("exec") and (access.token or not who.get("tokenFile")):
        return None
    from svcsim.client.credentials import CredentialSource, TokenFile  # noqa: PLC0415 - few have one, and every command comes by here
    from svcsim.client.plugin_config import CredentialsError, plugin_of  # noqa: PLC0415

    if who.get("exec"):
        try:
            plugin = plugin_of(who["exec"], user, lambda: _told_of(access, cluster))
        except ValueError as error:
            raise KubeconfigError(str(error)) from error
        return None if access.token else CredentialSource(plugin)
    source = CredentialSource(TokenFile(str(who["tokenFile"])))
    try:
        source.current()
    except CredentialsError as error:
        raise KubeconfigError(error.why) from error
    return source


def _told_of(access: Access, cluster: Object) -> str:
    """What a plugin gets of the cluster, as JSON."""
    told: Object = {"server": access.server}
    if access.tls_server_name:
        told["tls-server-name"] = access.tls_server_name
    if access.insecure:
        told["insecure-skip-tls-verify"] = True
    if access.ca_pem is not None:
        told["certificate-authority-data"] = base64.b64encode(access.ca_pem).decode()
    from svcsim.client.plugin_config import groups  # noqa: PLC0415

    names = [f"{group}/exec" for group, _ in groups()]
    config = next((entry.get("extension") for entry in cluster.get("extensions") or [] if entry.get("name") in names), None)
    if config is not None:
        told["config"] = config
    return orjson.dumps(told).decode()


def _in_header_name(name: str) -> str:
    """As it may stand in a header's name: with all else than its characters percent-encoded."""
    return "".join(chr(byte) if chr(byte) in _HEADER_SIGNS else f"%{byte:02X}" for byte in name.encode())


def _check_address(address: str) -> None:
    try:
        parts = urlsplit(address)
        valid = parts.port is None or parts.port > 0
    except ValueError:
        valid = False
    if not valid:
        raise KubeconfigError(f'host must be a URL or a host:port pair: "{address}"')


def describe(name: str, access: Access) -> Object:
    """A self-contained configuration for one cluster, with cluster, user and context all called ``name``."""
    cluster: Object = {"server": access.server}
    user: Object = {}
    if access.ca_pem is not None:
        cluster["certificate-authority-data"] = base64.b64encode(access.ca_pem).decode()
    if access.insecure:
        cluster["insecure-skip-tls-verify"] = True
    if access.tls_server_name:
        cluster["tls-server-name"] = access.tls_server_name
    if access.certificate_pem is not None:
        user["client-certificate-data"] = base64.b64encode(access.certificate_pem).decode()
    if access.key_pem is not None:
        user["client-key-data"] = base64.b64encode(access.key_pem).decode()
    if access.token:
        user["token"] = access.token
    context = {"cluster": name, "user": name}
    if access.namespace:
        context["namespace"] = access.namespace
    return {
        **empty(),
        "current-context": name,
        "clusters": [{"name": name, "cluster": cluster}],
        "users": [{"name": name, "user": user}],
        "contexts": [{"name": name, "context": context}],
    }


def beside_others(config: Object, name: str) -> Object:
    """A cluster's own configuration as it may stand among those of other clusters: its users, but for ``name``, get names after it.

    In its own they go by their bare names, which anybody's users may have.
    """

    def told(user: str) -> str:
        return user if user == name else f"{name}-{user}"

    return {
        **config,
        "users": [{**entry, "name": told(entry["name"])} for entry in config.get("users") or []],
        "contexts": [
            {**entry, "context": {**entry["context"], "user": told(entry["context"].get("user", ""))}}
            for entry in config.get("contexts") or []
        ],
    }


def merge_into(path: Path, addition: Object) -> str:
    """Put a cluster, its users and contexts into a file, in place of what stands there of that cluster; the name of the current context.

    The addition's becomes the current one only where there is none, or one that isn't there: where commands go is the user's say. Raises
    `KubeconfigError` where a context of the same name is another cluster's.
    """
    with changing(path):
        config = read_file(path) or empty()
        name = addition["clusters"][0]["name"]
        for entry in addition["contexts"]:
            other = find_entry(config, "contexts", entry["name"])
            if other is not None and other.get("cluster") != name:
                raise KubeconfigError(
                    f'"{path}" has a context "{entry["name"]}" of another cluster, which is left as it is: give this one another name first'
                )
        stale = [entry for entry in _contexts_of(config, name) if find_entry(addition, "contexts", entry["name"]) is None]
        config = _without(config, stale)
        for section in SECTIONS:
            added = {entry["name"]: entry for entry in addition.get(section, [])}
            kept = [added.pop(entry.get("name"), entry) for entry in config.get(section) or []]
            config[section] = kept + list(added.values())
        current: str = config.get("current-context") or ""
        if find_entry(config, "contexts", current) is None:
            config["current-context"] = current = addition["current-context"]
        write_file(path, config)
        return current


def holds(path: Path, content: Object) -> bool:
    """Whether a file has the cluster that ``content`` describes: one of the same name and certificate authority."""
    if not content.get("clusters"):
        return False
    wanted = content["clusters"][0]
    found = find_entry(read_file(path) or empty(), "clusters", wanted["name"]) or {}
    key = "certificate-authority-data"
    return bool(found.get(key)) and found[key] == wanted["cluster"].get(key)


def remove_from(path: Path, name: str) -> None:
    """Take the cluster called ``name``, its users and contexts out of a file again; nothing happens where they aren't."""
    with changing(path):
        config = read_file(path)
        if config is None:
            return
        config = _without(config, _contexts_of(config, name))
        for section in SECTIONS:
            config[section] = [entry for entry in config.get(section) or [] if entry.get("name") != name]
        write_file(path, config)


def remove_user(path: Path, name: str, user: str) -> bool:
    """Take a user of the cluster called ``name`` out of a file again, with the user's contexts; whether there was any."""
    with changing(path):
        config = read_file(path) or empty()
        theirs = [entry for entry in _contexts_of(config, name) if entry["context"].get("user") == f"{name}-{user}"]
        if theirs:
            write_file(path, _without(config, theirs))
        return bool(theirs)


def _contexts_of(config: Object, name: str) -> list[Object]:
    """The contexts that were put there for the cluster called ``name``: not those that a user made for other users."""
    return [
        entry
        for entry in config.get("contexts") or []
        if (context := entry.get("context") or {}).get("cluster") == name
        and (context.get("user") == name or str(context.get("user", "")).startswith(f"{name}-"))
    ]


def _without(config: Object, contexts: list[Object]) -> Object:
    """Neither these contexts are there, nor users that only they had."""
    names = {entry["name"] for entry in contexts}
    kept = [entry for entry in config.get("contexts") or [] if entry.get("name") not in names]
    gone = {entry["context"].get("user") for entry in contexts} - {(entry.get("context") or {}).get("user") for entry in kept}
    current = config.get("current-context") or ""
    return {
        **config,
        "contexts": kept,
        "users": [entry for entry in config.get("users") or [] if entry.get("name") not in gone],
        "current-context": "" if current in names else current,
    }


def use_context(paths: list[Path], context: str) -> None:
    """Make a context the current one: in the file that names a current one, else in the first."""
    if find_entry(load(paths), "contexts", context) is None:
        raise KubeconfigError(f'no context exists with the name: "{context}"')
    path = next((path for path in paths if (read_file(path) or {}).get("current-context")), paths[0])
    with changing(path):
        write_file(path, {**(read_file(path) or empty()), "current-context": context})


def write_file(path: Path, config: Object) -> None:
    """Replace a file in one step, readable by its owner alone. A file that was YAML stays YAML."""
    content = orjson.dumps(config, option=orjson.OPT_INDENT_2) + b"\n"
    if path.exists() and not path.read_bytes().lstrip().startswith(b"{"):
        content = _yaml_bytes(config)
    try:
        make_directory(path.parent)
        write_whole(path, content)
    except OSError as error:
        raise KubeconfigError(f'can\'t write config file "{path}": {error.strerror or error}') from error


def _yaml_bytes(config: Object) -> bytes:
    import yaml  # noqa: PLC0415 - slow to import, and our own files are JSON

    return yaml.safe_dump(config, sort_keys=True, default_flow_style=False).encode()
