"""Finding resource types by the words people use for them, and completing those words."""

from collections.abc import Iterable
from difflib import get_close_matches

from svcsim.client.discovery import ApiResource

PODS = ApiResource("v1", "pods", "Pod", namespaced=True, verbs=("list", "watch"), singular="pod", short=("po",), categories=("all",))
EVENTS = ApiResource("v1", "events", "Event", namespaced=True, verbs=("list", "watch"), singular="event", short=("ev",), categories=())
NAMESPACES = ApiResource(
    "v1", "namespaces", "Namespace", namespaced=False, verbs=("list", "watch"), singular="namespace", short=("ns",), categories=()
)
FIRST_KNOWN = (PODS, EVENTS, NAMESPACES)
"""What can be shown before the server has listed its types."""


class ResourceTypes:
    """The types a server has that can be listed and watched. Of two with one name, the first wins; the other is ``name.group``."""

    def __init__(self, resources: Iterable[ApiResource] = FIRST_KNOWN) -> None:
        self.all = [resource for resource in resources if "list" in resource.verbs and "watch" in resource.verbs]
        self._by_word: dict[str, ApiResource] = {}
        for words in (_plural_words, _other_words, _full_words):
            for resource in self.all:
                for word in words(resource):
                    self._by_word.setdefault(word.lower(), resource)

    def find(self, word: str) -> ApiResource | None:
        """The type that a word means: its plural, singular, short name or kind, with or without the group."""
        return self._by_word.get(word.lower())

    def kind(self, api_version: str, kind: str) -> ApiResource | None:
        """The type whose objects say they are of that kind, in that group or else in any."""
        group = api_version.rpartition("/")[0]
        exact = (resource for resource in self.all if resource.kind == kind and resource.group == group)
        return next(exact, None) or next((resource for resource in self.all if resource.kind == kind), None)

    def complete(self, prefix: str) -> list[str]:
        """Plurals that begin with what was typed, after the one of which it is a short name."""
        prefix = prefix.lower()
        meant = self.find(prefix)
        found = [] if meant is None or not prefix else [meant.plural]
        plurals = sorted({resource.plural for resource in self.all if resource.plural.startswith(prefix)})
        return found + [plural for plural in plurals if plural not in found]

    def closest(self, word: str) -> str:
        """The word that may have been meant; empty if none is near."""
        return next(iter(get_close_matches(word.lower(), self._by_word, n=1)), "")


def _plural_words(resource: ApiResource) -> tuple[str, ...]:
    return (resource.plural,)


def _other_words(resource: ApiResource) -> tuple[str, ...]:
    return (resource.singular, *resource.short, resource.kind)


def _full_words(resource: ApiResource) -> tuple[str, ...]:
    return (f"{resource.plural}.{resource.group}",) if resource.group else ()
