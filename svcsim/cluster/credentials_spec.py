"""What a cluster can be told of credentials that are files: whose certificates and tokens it takes, and whether any are needed."""

from dataclasses import dataclass
from pathlib import Path

from svcsim.cluster.settings import setting
from svcsim.cluster.values import FilePath, Nullable, Switch


@dataclass(frozen=True, slots=True, kw_only=True)
class CredentialsSpec:
    """Client certificates, static tokens, and asking without either."""

    client_ca_file: Path | None = setting(
        None,
        FilePath(),
        help="Certificates of authorities whose clients are users too, beside the cluster's own: a PEM file.",
        json="clientCAFile",
        flag="--client-ca-file",
        revocable=True,
        metavar="FILE",
    )
    token_auth_file: Path | None = setting(
        None,
        FilePath(),
        help='Tokens and whose they are: a CSV file with a line token,user,uid,"group,group" each.',
        flag="--token-auth-file",
        revocable=True,
        metavar="FILE",
    )
    anonymous_auth: bool | None = setting(
        None,
        Nullable(Switch()),
        help="Whether a request without credentials is taken, as system:anonymous: true or false.",
        flag="--anonymous-auth",
        satisfied=lambda wanted, has: wanted == has or (wanted is True and has is None),
        metavar="BOOL",
        shown_default="true",
    )
