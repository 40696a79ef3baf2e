"""What a cluster can be told of proxies that stand before it and say who asks."""

from dataclasses import dataclass
from pathlib import Path

from svcsim.cluster.settings import setting
from svcsim.cluster.values import FilePath, StringList


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestHeaderSpec:
    """How a proxy is known, and in which headers it speaks."""

    client_ca_file: Path | None = setting(
        None,
        FilePath(),
        help="Certificates of the authorities that vouch for proxies which say who asks: a PEM file.",
        json="clientCAFile",
        flag="--requestheader-client-ca-file",
        revocable=True,
        metavar="FILE",
    )
    allowed_names: tuple[str, ...] = setting(
        (),
        StringList(),
        help="The names that the certificates of such proxies may have.",
        flag="--requestheader-allowed-names",
        needs="client_ca_file",
        revocable=True,
        metavar="NAME,…",
        shown_default="any",
    )
    username_headers: tuple[str, ...] = setting(
        (),
        StringList(),
        help="The headers in which they say the user, such as X-Remote-User; the first with a value counts.",
        flag="--requestheader-username-headers",
        needs="client_ca_file",
        revocable=True,
        metavar="HEADER,…",
    )
    uid_headers: tuple[str, ...] = setting(
        (),
        StringList(),
        help="The headers in which they say the user's uid, such as X-Remote-Uid; the first with a value counts.",
        flag="--requestheader-uid-headers",
        needs="client_ca_file",
        revocable=True,
        metavar="HEADER,…",
    )
    group_headers: tuple[str, ...] = setting(
        (),
        StringList(),
        help="The headers in which they say the user's groups, such as X-Remote-Group.",
        flag="--requestheader-group-headers",
        needs="client_ca_file",
        revocable=True,
        metavar="HEADER,…",
    )
    extra_headers_prefix: tuple[str, ...] = setting(
        (),
        StringList(),
        help="What the names of headers begin with in which they say more of the user, such as X-Remote-Extra-.",
        flag="--requestheader-extra-headers-prefix",
        needs="client_ca_file",
        revocable=True,
        metavar="PREFIX,…",
    )
