"""What a cluster can be told of an identity provider."""

from dataclasses import dataclass
from pathlib import Path

from svcsim.cluster.settings import setting
from svcsim.cluster.values import FilePath, String, StringList, Texts


@dataclass(frozen=True, slots=True, kw_only=True)
class OidcSpec:
    """OpenID Connect: whose tokens count, for whom, and who they are about."""

    issuer_url: str = setting(
        "",
        String(),
        help="The https URL of an OpenID Connect provider whose tokens are taken.",
        json="issuerURL",
        flag="--oidc-issuer-url",
        revocable=True,
        metavar="URL",
        shown_default="",
    )
    client_id: str = setting(
        "",
        String(),
        help="For whom its tokens have to be.",
        json="clientID",
        flag="--oidc-client-id",
        needs="issuer_url",
        metavar="ID",
        shown_default="",
    )
    username_claim: str = setting(
        "sub", String(), help="The claim that is the user's name.", flag="--oidc-username-claim", needs="issuer_url", metavar="CLAIM"
    )
    username_prefix: str = setting(
        "",
        String(),
        help="What goes before the user's name; - for nothing.",
        flag="--oidc-username-prefix",
        needs="issuer_url",
        revocable=True,
        metavar="PREFIX",
        shown_default="the issuer's URL and #, and nothing before an email",
    )
    groups_claim: str = setting(
        "",
        String(),
        help="The claim that has the user's groups.",
        flag="--oidc-groups-claim",
        needs="issuer_url",
        revocable=True,
        metavar="CLAIM",
        shown_default="",
    )
    groups_prefix: str = setting(
        "",
        String(),
        help="What goes before their names.",
        flag="--oidc-groups-prefix",
        needs="issuer_url",
        revocable=True,
        metavar="PREFIX",
        shown_default="",
    )
    required_claim: tuple[str, ...] = setting(
        (),
        Texts(),
        help="A claim that a token has to have, as CLAIM=VALUE. May be given often.",
        flag="--oidc-required-claim",
        needs="issuer_url",
        revocable=True,
        metavar="CLAIM=VALUE",
    )
    signing_algs: tuple[str, ...] = setting(
        ("RS256",),
        StringList(),
        help="How its tokens may be signed: RS256, RS384, RS512, ES256, ES384, ES512, PS256, PS384, PS512.",
        flag="--oidc-signing-algs",
        needs="issuer_url",
        metavar="ALG,…",
        shown_default="RS256",
    )
    ca_file: Path | None = setting(
        None,
        FilePath(),
        help="Certificates of the authorities that vouch for the provider's server: a PEM file.",
        json="caFile",
        flag="--oidc-ca-file",
        needs="issuer_url",
        revocable=True,
        metavar="FILE",
        shown_default="those that the machine trusts",
    )
