"""What the plugin goes by where the labels of a namespace say nothing, and who and what is exempt."""

from typing import NamedTuple

from svcsim.admission.pod_security.levels import PRIVILEGED, Level


class Levels(NamedTuple):
    """The levels of a namespace."""

    enforce: Level = Level()
    audit: Level = Level()
    warn: Level = Level()

    @property
    def is_privileged(self) -> bool:
        """Whether it lets everything in and tells of nothing."""
        return all(level.name == PRIVILEGED for level in self)


MODES = Levels._fields


class Exemptions(NamedTuple):
    """Whose requests are held to no level, and where, and which pods are not."""

    users: frozenset[str] = frozenset()
    namespaces: frozenset[str] = frozenset()
    runtime_classes: frozenset[str] = frozenset()


class Standards(NamedTuple):
    """What the cluster's configuration says."""

    defaults: Levels = Levels()
    exempt: Exemptions = Exemptions()
