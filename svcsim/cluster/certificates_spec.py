"""What signs the certificates that a cluster issues, and whether bootstrap tokens open a door."""

from dataclasses import dataclass
from pathlib import Path

from svcsim import limits
from svcsim.cluster.settings import setting
from svcsim.cluster.values import Boolean, Duration, FilePath


@dataclass(frozen=True, slots=True, kw_only=True)
class CertificatesSpec:
    """How nodes and users come to certificates."""

    duration_s: float = setting(
        limits.SIGNING_S,
        Duration(),
        help="For how long certificates are signed at the most, such as 24h.",
        json="signingDuration",
        flag="--cluster-signing-duration",
        metavar="TIME",
        shown_default="a year",
    )
    cert_file: Path | None = setting(
        None,
        FilePath(),
        help="The certificate of the authority that signs, in PEM.",
        json="signingCertFile",
        flag="--cluster-signing-cert-file",
        revocable=True,
        metavar="FILE",
        shown_default="the cluster's own",
    )
    key_file: Path | None = setting(
        None,
        FilePath(),
        help="Its key, in PEM.",
        json="signingKeyFile",
        flag="--cluster-signing-key-file",
        revocable=True,
        metavar="FILE",
        shown_default="the cluster's own",
    )
    bootstrap_tokens: bool = setting(
        False,
        Boolean(),
        help="Take bootstrap tokens as bearer tokens, publish a signed cluster-info, and delete tokens that have expired.",
        json="bootstrapTokens",
        flag="--enable-bootstrap-token-auth",
    )
