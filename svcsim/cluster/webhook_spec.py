"""What a cluster can be told of the servers that decide with it who is asking, and whether they may."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from svcsim.cluster.settings import setting
from svcsim.cluster.values import Choice, Duration, FilePath

ReviewVersion = Literal["v1", "v1beta1"]
_VERSIONS: Choice[ReviewVersion] = Choice(("v1", "v1beta1"))


@dataclass(frozen=True, slots=True, kw_only=True)
class WebhookSpec:
    """Token webhook and authorization webhook."""

    token_config_file: Path | None = setting(
        None,
        FilePath(),
        help="A file in the client configuration format that names the server which knows bearer tokens.",
        flag="--authentication-token-webhook-config-file",
        revocable=True,
        metavar="FILE",
    )
    token_cache_ttl_s: float = setting(
        120.0,
        Duration(),
        help="How long that server's decisions are remembered.",
        json="tokenCacheTTL",
        flag="--authentication-token-webhook-cache-ttl",
        needs="token_config_file",
        metavar="TIME",
    )
    token_version: ReviewVersion = setting(
        "v1beta1",
        _VERSIONS,
        help="The version of TokenReview that is sent there and expected back: v1 or v1beta1.",
        flag="--authentication-token-webhook-version",
        needs="token_config_file",
        metavar="VERSION",
    )
    authorization_config_file: Path | None = setting(
        None,
        FilePath(),
        help="A file in the client configuration format that names the server which decides whether requests may be.",
        flag="--authorization-webhook-config-file",
        revocable=True,
        metavar="FILE",
    )
    authorization_version: ReviewVersion = setting(
        "v1beta1",
        _VERSIONS,
        help="The version of SubjectAccessReview that is sent there and expected back: v1 or v1beta1.",
        flag="--authorization-webhook-version",
        needs="authorization_config_file",
        metavar="VERSION",
    )
    authorized_ttl_s: float = setting(
        300.0,
        Duration(),
        help="How long it is remembered that that server allowed a request.",
        json="authorizedCacheTTL",
        flag="--authorization-webhook-cache-authorized-ttl",
        needs="authorization_config_file",
        metavar="TIME",
    )
    unauthorized_ttl_s: float = setting(
        30.0,
        Duration(),
        help="How long it is remembered that it did not.",
        json="unauthorizedCacheTTL",
        flag="--authorization-webhook-cache-unauthorized-ttl",
        needs="authorization_config_file",
        metavar="TIME",
    )
