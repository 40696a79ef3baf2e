"""What a cluster can be told of how it keeps its objects."""

from dataclasses import dataclass
from pathlib import Path

from svcsim.cluster.settings import setting
from svcsim.cluster.values import Boolean, FilePath


@dataclass(frozen=True, slots=True, kw_only=True)
class EncryptionSpec:
    """Secrets at rest."""

    provider_config: Path | None = setting(
        None,
        FilePath(),
        help="A file with an EncryptionConfiguration: which objects stand on the disk encrypted, and with which keys.",
        flag="--encryption-provider-config",
        revocable=True,
        metavar="FILE",
    )
    automatic_reload: bool = setting(
        False,
        Boolean(),
        help="Go by that file when it changes, within a minute.",
        flag="--encryption-provider-config-automatic-reload",
        needs="provider_config",
    )
