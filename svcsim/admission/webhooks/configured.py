"""The webhooks that a cluster's configurations name, in the order they are asked: by the configuration's name, then as they stand in it.

They follow the store: what has been written of them counts from the next request on.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal

from svcsim.admission.matching import Interest, RuleWithOperations, Selectors
from svcsim.admission.read_once import ReadOnce
from svcsim.meta.indexed import ObjectKey
from svcsim.meta.objects import name_of
from svcsim.meta.types import Object
from svcsim.outbound.client_config import remote_of
from svcsim.outbound.remote import Remote
from svcsim.registry.lister import Lister
from svcsim.registry.scheme import Scheme

REVIEW_VERSIONS = ("v1", "v1beta1")
"""The supported versions of AdmissionReview."""
Type = Literal["mutating", "validating"]
_WITHOUT_EFFECTS = ("None", "NoneOnDryRun")


@dataclass(frozen=True, slots=True)
class Webhook:
    """One webhook of a configuration."""

    configuration: str
    name: str
    index: int
    """Its place in the configuration: in older ones two may have one name."""
    remote: Remote
    rules: tuple[RuleWithOperations, ...]
    selectors: Selectors
    equivalent: bool
    """Whether its rules also mean requests for other versions of a resource."""
    failure_ignored: bool
    timeout_s: float
    safe_in_dry_run: bool
    review_version: str
    """The first version of AdmissionReview that both sides speak."""
    conditions: tuple[Object, ...]
    """In CEL: all must hold."""
    reinvocable: bool
    """Whether it is asked again where others have changed the object after it."""


class ConfiguredWebhooks:
    """All webhooks of one type."""

    def __init__(self, configurations: Lister, type_: Type, scheme: Scheme, known_to: Callable[[Remote], Remote]) -> None:
        """``known_to`` has the server make itself known to a webhook."""
        self.webhooks: tuple[Webhook, ...] = ()
        self.interests: tuple[Interest, ...] = ()
        """What they may be asked about."""
        self._type = type_
        self._scheme = scheme
        self._known_to = known_to
        self._listeners: list[Callable[[], None]] = []
        self._read = ReadOnce(configurations, lambda one: tuple(self._webhooks(one)))
        configurations.on_change(self._follow)

    def on_change(self, listener: Callable[[], None]) -> None:
        """Have a function called whenever there are others."""
        self._listeners.append(listener)

    def _follow(self, keys: Iterable[ObjectKey]) -> None:
        self._read.changed(keys)
        self.webhooks = tuple(webhook for _, webhooks in self._read.in_order() for webhook in webhooks)
        self.interests = tuple(Interest(rule, self._scheme) for webhook in self.webhooks for rule in webhook.rules)
        for listener in self._listeners:
            listener()

    def _webhooks(self, configuration: Object) -> Iterable[Webhook]:
        for index, one in enumerate(configuration.get("webhooks") or ()):
            spoken = (version for version in one.get("admissionReviewVersions") or () if version in REVIEW_VERSIONS)
            yield Webhook(
                name_of(configuration),
                one["name"],
                index,
                self._known_to(remote_of(f"{self._type}-webhook/{one['name']}", one.get("clientConfig") or {})),
                tuple(map(RuleWithOperations.of, one.get("rules") or ())),
                Selectors.of(one),
                one.get("matchPolicy") != "Exact",
                one.get("failurePolicy") == "Ignore",
                float(one.get("timeoutSeconds") or 10),
                one.get("sideEffects") in _WITHOUT_EFFECTS,
                next(spoken, REVIEW_VERSIONS[0]),
                tuple(one.get("matchConditions") or ()),
                one.get("reinvocationPolicy") == "IfNeeded",
            )
