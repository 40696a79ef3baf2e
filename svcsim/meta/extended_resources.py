"""Resources of nodes that are none of the cluster's own: devices, by names of other domains."""

from svcsim.dialect import Dialect
from svcsim.meta.names import qualified_name


def is_native(name: str, dialect: Dialect) -> bool:
    """Whether it is one of the cluster's own."""
    return "/" not in name or f"{dialect.domain}/" in name


def is_extended(name: str, dialect: Dialect) -> bool:
    """Whether it is one of another domain: a device."""
    return not is_native(name, dialect) and not name.startswith("requests.") and not qualified_name(f"requests.{name}")
