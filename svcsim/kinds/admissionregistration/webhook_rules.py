"""What makes webhooks right: names, how they are called, and what they say of themselves."""

from collections.abc import Iterable, Iterator

from svcsim.kinds.admissionregistration.expressions import Scope
from svcsim.kinds.admissionregistration.match_rules import FAILURE_POLICIES, MATCH_POLICIES, match_condition_rules
from svcsim.kinds.shared.checks import one_of, repeated
from svcsim.kinds.shared.webhook_address_rules import webhook_address_rules
from svcsim.meta.errors import FieldError, duplicate, invalid_value
from svcsim.meta.names import dns_1035_label, dns_subdomain
from svcsim.meta.types import Json, Object
from svcsim.registry.kind import Context

NO_SIDE_EFFECTS = ("None", "NoneOnDryRun")
SIDE_EFFECTS = (*NO_SIDE_EFFECTS, "Some", "Unknown")
EARLIER_VERSION = "v1beta1"
REVIEW_VERSIONS = ("v1", "v1beta1")
REINVOCATION_POLICIES = ("IfNeeded", "Never")
_MAX_SECONDS = 30


def webhook_rules(webhook: Json, path: str) -> Iterator[FieldError]:
    yield from _name(webhook.get("name") or "", f"{path}.name")
    yield from one_of(*FAILURE_POLICIES)(webhook["failurePolicy"], f"{path}.failurePolicy")
    yield from one_of(*MATCH_POLICIES)(webhook["matchPolicy"], f"{path}.matchPolicy")
    if not 1 <= webhook["timeoutSeconds"] <= _MAX_SECONDS:
        detail = f"the timeout value must be between 1 and {_MAX_SECONDS} seconds"
        yield invalid_value(f"{path}.timeoutSeconds", webhook["timeoutSeconds"], detail)
    if "reinvocationPolicy" in webhook:
        yield from one_of(*REINVOCATION_POLICIES)(webhook["reinvocationPolicy"], f"{path}.reinvocationPolicy")
    yield from webhook_address_rules(webhook["clientConfig"], f"{path}.clientConfig")
    yield from _review_versions(webhook.get("admissionReviewVersions") or [], f"{path}.admissionReviewVersions")


def conditions_of_all(webhooks: list[Object] | None, stored: frozenset[str]) -> Iterator[FieldError]:
    """What is wrong with the conditions of all webhooks."""
    for index, webhook in enumerate(webhooks or ()):
        path = f"webhooks[{index}].matchConditions"
        yield from match_condition_rules(webhook.get("matchConditions") or (), path, Scope(stored=stored))


def strict_in_creation(obj: Object, context: Context) -> Iterator[FieldError]:
    """What v1 demands of webhooks, and v1beta1 doesn't yet."""
    webhooks = obj.get("webhooks") or ()
    yield from _side_effects(webhooks, context.version)
    if context.version != EARLIER_VERSION:
        yield from _each_name_once(webhooks)


def strict_in_change(new: Object, old: Object, context: Context) -> Iterator[FieldError]:
    """The stricter rules of v1 for an update: webhooks that were accepted as v1beta1 can be changed in v1, too."""
    webhooks, before = new.get("webhooks") or (), old.get("webhooks") or ()
    had_effects = any(True for _ in _side_effects(before, ""))
    yield from _side_effects(webhooks, EARLIER_VERSION if had_effects else context.version)
    if context.version != EARLIER_VERSION and not any(True for _ in _each_name_once(before)):
        yield from _each_name_once(webhooks)


def _side_effects(webhooks: Iterable[Object], version: str) -> Iterator[FieldError]:
    known = one_of(*(SIDE_EFFECTS if version == EARLIER_VERSION else NO_SIDE_EFFECTS))
    for index, webhook in enumerate(webhooks):
        if webhook.get("sideEffects"):
            yield from known(webhook["sideEffects"], f"webhooks[{index}].sideEffects")


def _each_name_once(webhooks: Iterable[Object]) -> Iterator[FieldError]:
    names = (webhook.get("name") or "" for webhook in webhooks)
    yield from (duplicate(f"webhooks[{index}].name", name) for index, name in repeated(names) if name)


def _name(name: str, path: str) -> Iterator[FieldError]:
    """A domain, which tells whose webhook it is."""
    if not name:
        return
    if findings := dns_subdomain(name):
        yield invalid_value(path, name, ",".join(findings))
    elif name.count(".") < 2:
        yield invalid_value(path, name, "should be a domain with at least three segments separated by dots")


def _review_versions(versions: list[str], path: str) -> Iterator[FieldError]:
    if not versions:
        return
    again = dict(repeated(versions))
    for index, version in enumerate(versions):
        findings = ["duplicate version"] if index in again else dns_1035_label(version)
        yield from (invalid_value(f"{path}[{index}]", version, finding) for finding in findings)
    if not any(version in REVIEW_VERSIONS for version in versions):
        yield invalid_value(path, versions, f"must include at least one of {', '.join(REVIEW_VERSIONS)}")
