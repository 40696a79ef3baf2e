"""The sets of stages that are ready: files beside this one, which are called by their names."""

from pathlib import Path

_PLACE = Path(__file__).parent / "shipped"


def shipped() -> list[str]:
    """Their names."""
    return sorted(path.stem for path in _PLACE.glob("*.yaml"))


def file_of(name: str) -> Path | None:
    """The file of a set; None where no set is called that."""
    path = _PLACE / f"{name}.yaml"
    return path if "/" not in name and path.is_file() else None
