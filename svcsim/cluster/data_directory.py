"""What a cluster keeps in its data directory, by name. The command line asks without a cluster, so nothing slow is imported here."""

from pathlib import Path

from svcsim.storage.data_file import DATA_FILE

STORE = "store"
PKI = "pki"
PARTS = (STORE, PKI)


def data_file(directory: Path) -> Path:
    """The file that the objects are in."""
    return directory / STORE / DATA_FILE
