"""Which controllers run, chosen by name as with Kubernetes' controller manager: so that users may bring their own in the place of one.

What belongs to the API server itself, such as what serves custom resources, isn't chosen: without it the API is another. The scheduler and
the simulated nodes aren't controllers, and run unless they are switched off by name.
"""

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import Final

from svcsim.meta.configuration_error import ConfigurationError

OPTION: Final = "--controllers"
SCHEDULER: Final = "scheduler"
NODES: Final = "nodes"
_ALL = "*"
_SUFFIX = "-controller"
_SERVERS_OWN: Final = (
    "custom-resource-controller",
    "custom-resource-cleanup-controller",
    "ip-address-controller",
    "apiserver-lease-controller",
    "apiservice-registration-controller",
    "apiservice-availability-controller",
)
_ALSO: Final[Mapping[str, tuple[str, ...]]] = {
    "service-account-controller": ("serviceaccount-controller", "serviceaccount"),
    "replication-controller": ("replicationcontroller-controller", "replicationcontroller"),
    "endpoint-controller": ("endpoints-controller", "endpointslice-controller", "endpointslice"),
    "endpointslice-mirroring-controller": ("endpointslicemirroring",),
    "garbage-collector": ("garbage-collector-controller", "garbagecollector"),
    "node-controller": ("node-lifecycle-controller", "nodelifecycle"),
    "node-ipam-controller": ("nodeipam",),
    "pod-garbage-collector": ("pod-garbage-collector-controller", "podgc"),
    "certificatesigningrequest-approving-controller": ("csrapproving",),
    "certificatesigningrequest-cleaner-controller": ("csrcleaner",),
    "certificatesigningrequest-signing-controller": ("csrsigning",),
    "pvc-protection-controller": ("persistentvolumeclaim-protection-controller",),
    "pv-protection-controller": ("persistentvolume-protection-controller",),
    "horizontal-pod-autoscaler": ("horizontal-pod-autoscaler-controller", "horizontalpodautoscaling"),
    "attachdetach-controller": ("persistentvolume-attach-detach-controller",),
    "expand-controller": ("persistentvolume-expander-controller", "persistentvolume-expander"),
    "pv-binder-controller": ("persistentvolume-binder-controller", "persistentvolume-binder"),
    "service-account-token-controller": ("serviceaccount-token-controller", "serviceaccount-token"),
    "root-ca-publisher": ("root-ca-certificate-publisher-controller", "root-ca-cert-publisher"),
    "bootstrapsigner": ("bootstrap-signer-controller", "bootstrapsigner"),
    "tokencleaner": ("token-cleaner-controller", "tokencleaner"),
}
"""What Kubernetes calls those that have other names here, and what it called them formerly."""


class ControllerChoice:
    """What is said of them: ``*`` for all, ``-*`` for none, ``NAME`` for one, ``-NAME`` for all but that one."""

    def __init__(self, words: Iterable[str], known: Iterable[str]) -> None:
        """``known`` are the names of all that a cluster may have.

        Raises `ConfigurationError` for a name that none has, and for one of which more than one thing is said.
        """
        self._known = (*known, SCHEDULER, NODES)
        names = {_ALL: _ALL, **_by_name(self._known)}
        said: dict[str, str] = {}
        for word in words:
            name = word.removeprefix("-")
            if name not in names:
                raise ConfigurationError(_unknown(name, chosen_by_name(self._known)))
            if names[name] in said:
                raise ConfigurationError(_said_twice(names[name], said[names[name]], word))
            said[names[name]] = word
        self._said = {name: not word.startswith("-") for name, word in said.items()}

    def runs(self, name: str) -> bool:
        """Whether one runs."""
        return name in _SERVERS_OWN or self._said.get(name, self._said.get(_ALL, False) or name in (SCHEDULER, NODES))

    @property
    def off(self) -> list[str]:
        """Those that don't."""
        return [name for name in self._known if not self.runs(name)]


def leaves_out_nodes(words: Iterable[str]) -> bool:
    """Whether the simulated nodes don't run where this is said."""
    return f"-{NODES}" in words


def chosen_by_name(known: Iterable[str]) -> list[str]:
    """Of all that a cluster may have, those that are anybody's choice."""
    return [name for name in known if name not in _SERVERS_OWN]


def _by_name(known: Iterable[str]) -> dict[str, str]:
    """The name that each has here, by all that it is called."""
    return {called: name for name in chosen_by_name(known) for called in (name, name.removesuffix(_SUFFIX), *_ALSO.get(name, ()))}


def _said_twice(name: str, before: str, word: str) -> str:
    what = "all controllers" if name == _ALL else name
    said = f'"{before}" twice' if word == before else f'both "{before}" and "{word}"'
    return f"{OPTION}: of {what} it says {said}; leave one of them out"


def _unknown(name: str, chosen: list[str]) -> str:
    close = get_close_matches(name, chosen, n=1)
    hint = f'; did you mean "{close[0]}"?' if close else f": there are {', '.join(chosen)}, and * for all"
    return f'{OPTION}: there is no controller "{name}"{hint}'
