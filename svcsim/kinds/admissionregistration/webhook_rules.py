"""What makes webhooks right: names, how they are called, and what they say of themselves."""

from collections.abc import Iterator
from urllib.parse import SplitResult, urlsplit

from svcsim.kinds.admissionregistration.expressions import Scope
from svcsim.kinds.admissionregistration.match_rules import FAILURE_POLICIES, MATCH_POLICIES, match_condition_rules
from svcsim.kinds.shared.checks import one_of, repeated
from svcsim.meta.errors import FieldError, duplicate, invalid_value, required
from svcsim.meta.names import dns_1035_label, dns_subdomain, port_number
from svcsim.meta.types import Json, Object

NO_SIDE_EFFECTS = ("None", "NoneOnDryRun")
REVIEW_VERSIONS = ("v1", "v1beta1")
REINVOCATION_POLICIES = ("IfNeeded", "Never")
_MAX_SECONDS = 30
_FORM = "; desired format: https://host[/path]"


def webhook_rules(webhook: Json, path: str) -> Iterator[FieldError]:
    yield from _name(webhook.get("name") or "", f"{path}.name")
    yield from one_of(*FAILURE_POLICIES)(webhook["failurePolicy"], f"{path}.failurePolicy")
    yield from one_of(*MATCH_POLICIES)(webhook["matchPolicy"], f"{path}.matchPolicy")
    if webhook.get("sideEffects"):
        yield from one_of(*NO_SIDE_EFFECTS)(webhook["sideEffects"], f"{path}.sideEffects")
    if not 1 <= webhook["timeoutSeconds"] <= _MAX_SECONDS:
        detail = f"the timeout value must be between 1 and {_MAX_SECONDS} seconds"
        yield invalid_value(f"{path}.timeoutSeconds", webhook["timeoutSeconds"], detail)
    if "reinvocationPolicy" in webhook:
        yield from one_of(*REINVOCATION_POLICIES)(webhook["reinvocationPolicy"], f"{path}.reinvocationPolicy")
    yield from _client_config(webhook["clientConfig"], f"{path}.clientConfig")
    yield from match_condition_rules(webhook.get("matchConditions") or (), f"{path}.matchConditions", Scope())
    yield from _review_versions(webhook.get("admissionReviewVersions") or [], f"{path}.admissionReviewVersions")


def each_name_once(webhooks: Json, path: str) -> Iterator[FieldError]:
    names = (webhook.get("name") or "" for webhook in webhooks)
    yield from (duplicate(f"{path}[{index}].name", name) for index, name in repeated(names) if name)


def _name(name: str, path: str) -> Iterator[FieldError]:
    """A domain, which tells whose webhook it is."""
    if not name:
        return
    if findings := dns_subdomain(name):
        yield invalid_value(path, name, ",".join(findings))
    elif name.count(".") < 2:
        yield invalid_value(path, name, "should be a domain with at least three segments separated by dots")


def _client_config(config: Object, path: str) -> Iterator[FieldError]:
    url, service = config.get("url"), config.get("service")
    if (url is None) == (service is None):
        yield required(path, "exactly one of url or service is required")
    elif url is not None:
        yield from url_rules(url, f"{path}.url")
    else:
        yield from service_rules(config["service"], f"{path}.service")


def url_rules(url: str, path: str) -> Iterator[FieldError]:
    """HTTPS, a host, and nothing beside them but a path."""
    try:
        parts: SplitResult = urlsplit(url)
        parts.port  # noqa: B018 - reading it is what finds a bad one
    except ValueError as error:
        yield required(path, f"url must be a valid URL: {error}{_FORM}")
        return
    if parts.scheme != "https":
        yield invalid_value(path, parts.scheme, f"'https' is the only allowed URL scheme{_FORM}")
    user, at, host = parts.netloc.rpartition("@")
    if not host:
        yield invalid_value(path, host, f"host must be provided{_FORM}")
    if at:
        yield invalid_value(path, user, "user information is not permitted in the URL")
    if parts.fragment:
        yield invalid_value(path, parts.fragment, "fragments are not permitted in the URL")
    if parts.query:
        yield invalid_value(path, parts.query, "query parameters are not permitted in the URL")


def service_rules(service: Object, path: str) -> Iterator[FieldError]:
    """A service in a namespace, a port, and a path of plain segments."""
    if not service.get("name"):
        yield required(f"{path}.name", "service name is required")
    if not service.get("namespace"):
        yield required(f"{path}.namespace", "service namespace is required")
    if findings := port_number(service["port"]):
        yield invalid_value(f"{path}.port", service["port"], f"port is not valid: {', '.join(findings)}")
    yield from _path(service.get("path") or "/", f"{path}.path")


def _path(value: str, path: str) -> Iterator[FieldError]:
    if value == "/":
        return
    if value == "//":
        yield invalid_value(path, value, "segment[0] may not be empty")
        return
    if not value.startswith("/"):
        yield invalid_value(path, value, "must start with a '/'")
    for index, segment in enumerate(value[1:].removesuffix("/").split("/")):
        if not segment:
            yield invalid_value(path, value, f"segment[{index}] may not be empty")
        else:
            yield from (invalid_value(path, value, f"segment[{index}]: {finding}") for finding in dns_subdomain(segment))


def _review_versions(versions: list[str], path: str) -> Iterator[FieldError]:
    if not versions:
        return
    again = dict(repeated(versions))
    for index, version in enumerate(versions):
        findings = ["duplicate version"] if index in again else dns_1035_label(version)
        yield from (invalid_value(f"{path}[{index}]", version, finding) for finding in findings)
    if not any(version in REVIEW_VERSIONS for version in versions):
        yield invalid_value(path, versions, f"must include at least one of {', '.join(REVIEW_VERSIONS)}")
