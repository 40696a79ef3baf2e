"""What can be asked for of tokens of service accounts: the options of the API server that are called so."""

from dataclasses import dataclass
from pathlib import Path

from svcsim.cluster.settings import setting
from svcsim.cluster.values import Boolean, DurationOrForever, FilePath, FilePaths, String, StringList


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceAccountSpec:
    """Whose tokens count, who signs them, and for how long they are good."""

    key_files: tuple[Path, ...] = setting(
        (),
        FilePaths(),
        help="A file with keys (PEM: RSA or ECDSA, public or private) whose tokens of service accounts count. May be given often.",
        flag="--service-account-key-file",
        revocable=True,
        metavar="FILE",
        shown_default="the cluster's own key",
    )
    signing_key_file: Path | None = setting(
        None,
        FilePath(),
        help="The file with the private key (PEM: RSA or ECDSA) that signs tokens of service accounts.",
        flag="--service-account-signing-key-file",
        revocable=True,
        metavar="FILE",
        shown_default="the cluster's own key",
    )
    issuers: tuple[str, ...] = setting(
        (),
        StringList(),
        help="Who issues tokens of service accounts. May be given often: tokens are issued by the first, those of all count.",
        flag="--service-account-issuer",
        revocable=True,
        metavar="URL",
        shown_default="the API server",
    )
    api_audiences: tuple[str, ...] = setting(
        (),
        StringList(),
        help="Names of the API server: for one of them, tokens have to be.",
        flag="--api-audiences",
        revocable=True,
        metavar="NAME,…",
        shown_default="the issuers",
    )
    jwks_uri: str = setting(
        "",
        String(),
        help="Where others find the keys by which they can verify tokens of service accounts.",
        flag="--service-account-jwks-uri",
        revocable=True,
        metavar="URL",
        shown_default="the API server",
    )
    extend_token_expiration: bool = setting(
        True,
        Boolean(),
        help="Let pods' tokens be good for a year, so that programs that read theirs only once go on.",
        flag="--service-account-extend-token-expiration",
    )
    max_token_expiration_s: float | None = setting(
        None,
        DurationOrForever(),
        help="For how long tokens of service accounts are good at the most: a duration from 1h on.",
        json="maxTokenExpiration",
        flag="--service-account-max-token-expiration",
        metavar="TIME",
        shown_default="as long as anybody asks",
    )
    lookup: bool = setting(
        True,
        Boolean(),
        help="Let tokens in Secrets count only while Secret and account are there.",
        flag="--service-account-lookup",
    )
