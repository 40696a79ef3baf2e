"""What may be a name, and what is said where something may not.

Each rule takes a string and returns its findings, none for a good one. The sentences are the ones users of kubectl know.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import TypeAlias

from svcsim import limits
from svcsim.dialect import Dialect
from svcsim.meta.errors import FieldError, forbidden_field, invalid_value, required, too_long
from svcsim.meta.findings import collected
from svcsim.meta.types import GroupVersion, Object

NameRule: TypeAlias = Callable[[str], list[str]]

_LABEL = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_SUBDOMAIN = rf"{_LABEL}(\.{_LABEL})*"
_SEARCH_LABEL = r"_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?"
_SEARCH = rf"{_SEARCH_LABEL}(\.{_SEARCH_LABEL})*"
_LABEL_1035 = r"[a-z]([-a-z0-9]*[a-z0-9])?"
_QUALIFIED = r"([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"
_LABEL_VALUE = rf"({_QUALIFIED})?"
_HEADER = r"[-A-Za-z0-9]+"
_CONFIG_KEY = r"[-._a-zA-Z0-9]+"
_ENV = r"[ -<>-~]+"
_HTTP_PATH = r"[A-Za-z0-9/\-._~%!$&'()*+,;=:]+"

_ENDS = "and must start and end with an alphanumeric character"
_LABEL_SENTENCE = f"a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', {_ENDS}"
_SUBDOMAIN_SENTENCE = f"a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', {_ENDS}"
_SEARCH_SENTENCE = f"a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', {_ENDS}"
_WILDCARD_SENTENCE = (
    "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, "
    "which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character"
)
_LABEL_1035_SENTENCE = (
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', "
    "start with an alphabetic character, and end with an alphanumeric character"
)
_QUALIFIED_SENTENCE = f"must consist of alphanumeric characters, '-', '_' or '.', {_ENDS}"
_LABEL_VALUE_SENTENCE = f"a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', {_ENDS}"
_CONFIG_KEY_SENTENCE = "a valid config key must consist of alphanumeric characters, '-', '_' or '.'"
_HEADER_SENTENCE = "a valid HTTP header must consist of alphanumeric characters or '-'"
_ENV_SENTENCE = "a valid environment variable name must consist only of printable ASCII characters other than '='"

_EMPTY = "must be non-empty"
_PORT_CHARS = 15

_label_matches = re.compile(_LABEL, re.ASCII).fullmatch
_wildcard_matches = re.compile(rf"\*\.{_SUBDOMAIN}", re.ASCII).fullmatch
_subdomain_matches = re.compile(_SUBDOMAIN, re.ASCII).fullmatch
_search_matches = re.compile(_SEARCH, re.ASCII).fullmatch
_label_1035_matches = re.compile(_LABEL_1035, re.ASCII).fullmatch
_qualified_matches = re.compile(_QUALIFIED, re.ASCII).fullmatch
_label_value_matches = re.compile(_LABEL_VALUE, re.ASCII).fullmatch
_config_key_matches = re.compile(_CONFIG_KEY, re.ASCII).fullmatch
_header_matches = re.compile(_HEADER).fullmatch
_env_matches = re.compile(_ENV).fullmatch
_http_path_matches = re.compile(_HTTP_PATH).fullmatch
_port_matches = re.compile(r"[-a-z0-9]+").fullmatch


def _usual(pattern: str) -> Callable[[str], bool]:
    """Whether a name, which must be short, has a form. Names of the same few things come again and again."""
    matches = re.compile(pattern, re.ASCII).fullmatch
    return lru_cache(maxsize=limits.CHECKED_NAMES)(lambda value: matches(value) is not None)


_is_usual_label = _usual(_LABEL)
_is_usual_key = _usual(rf"({_SUBDOMAIN}/)?{_QUALIFIED}")
_is_usual_value = _usual(_LABEL_VALUE)
_is_usual_subdomain = _usual(_SUBDOMAIN)
_is_usual_variable = _usual(_ENV)
_is_usual_port = _usual(r"[a-z](-?[a-z0-9])*")
_is_usual_config_key = _usual(r"[-_a-zA-Z0-9][-._a-zA-Z0-9]*")


def dns_label(value: str) -> list[str]:
    """RFC 1123: one part of a host name, up to 63 characters."""
    if len(value) <= limits.DNS_LABEL_CHARS and _is_usual_label(value):
        return []
    findings = _length(value, limits.DNS_LABEL_CHARS)
    if not _label_matches(value):
        dotted = _subdomain_matches(value)
        findings.append("must not contain dots" if dotted else _pattern(_LABEL_SENTENCE, _LABEL, "my-name", "123-abc"))
    return findings


def dns_subdomain(value: str) -> list[str]:
    """RFC 1123: a host name, up to 253 characters."""
    if len(value) <= limits.DNS_SUBDOMAIN_CHARS and _is_usual_subdomain(value):
        return []
    findings = _length(value, limits.DNS_SUBDOMAIN_CHARS)
    if not _subdomain_matches(value):
        findings.append(_pattern(_SUBDOMAIN_SENTENCE, _SUBDOMAIN, "example.com"))
    return findings


def dns_search(value: str) -> list[str]:
    """A domain in which names are looked up: a host name, of which parts may begin with an underscore."""
    findings = _length(value, limits.DNS_SUBDOMAIN_CHARS)
    if not _search_matches(value):
        findings.append(_pattern(_SEARCH_SENTENCE, _SEARCH, "example.com"))
    return findings


def wildcard_dns_subdomain(value: str) -> list[str]:
    """All host names below one: ``*.example.com``."""
    findings = _length(value, limits.DNS_SUBDOMAIN_CHARS)
    if not _wildcard_matches(value):
        findings.append(_pattern(_WILDCARD_SENTENCE, rf"\*\.{_SUBDOMAIN}", "*.example.com"))
    return findings


def dns_1035_label(value: str) -> list[str]:
    """RFC 1035: as a DNS label, but it begins with a letter. Services are named so."""
    findings = _length(value, limits.DNS_LABEL_CHARS)
    if not _label_1035_matches(value):
        findings.append(_pattern(_LABEL_1035_SENTENCE, _LABEL_1035, "my-name", "abc-123"))
    return findings


def qualified_name(value: str) -> list[str]:
    """The key of a label, an annotation, a taint: a name, with a DNS subdomain and a slash before it or without."""
    if len(value) <= limits.LABEL_VALUE_CHARS and _is_usual_key(value):  # no part of it is longer then
        return []
    prefix, slash, name = value.rpartition("/")
    examples = ("MyName", "my.name", "123-abc")
    if "/" in prefix:
        optional = " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"
        return ["a qualified name " + _pattern(_QUALIFIED_SENTENCE, _QUALIFIED, *examples) + optional]
    findings: list[str] = []
    if slash:
        findings += [f"prefix part {finding}" for finding in (dns_subdomain(prefix) if prefix else [_EMPTY])]
    if not name:
        findings.append(f"name part {_EMPTY}")
    findings += [f"name part {finding}" for finding in _length(name, limits.LABEL_VALUE_CHARS)]
    if not _qualified_matches(name):
        findings.append("name part " + _pattern(_QUALIFIED_SENTENCE, _QUALIFIED, *examples))
    return findings


def label_value(value: str) -> list[str]:
    """The value of a label; empty is fine."""
    if len(value) <= limits.LABEL_VALUE_CHARS and _is_usual_value(value):
        return []
    findings = _length(value, limits.LABEL_VALUE_CHARS)
    if not _label_value_matches(value):
        findings.append(_pattern(_LABEL_VALUE_SENTENCE, _LABEL_VALUE, "MyValue", "my_value", "12345"))
    return findings


def http_header(value: str) -> list[str]:
    """The name of a header of an HTTP request."""
    return [] if _header_matches(value) else [_pattern(_HEADER_SENTENCE, _HEADER, "X-Header-Name")]


def path_segment(value: str) -> list[str]:
    """Anything that can stand as one segment of a URL's path. RBAC objects are named so: ``system:node``."""
    if value in {".", ".."}:
        return [f"may not be '{value}'"]
    return [f"may not contain '{mark}'" for mark in ("/", "%") if mark in value]


def config_map_key(value: str) -> list[str]:
    """A key of a ConfigMap or Secret: it may become a file's name."""
    if len(value) <= limits.LABEL_VALUE_CHARS and _is_usual_config_key(value):
        return []
    findings = _length(value, limits.DNS_SUBDOMAIN_CHARS)
    if not _config_key_matches(value):
        findings.append(_pattern(_CONFIG_KEY_SENTENCE, _CONFIG_KEY, "key.name", "KEY_NAME", "key-name"))
    if value in {".", ".."}:
        findings.append(f"must not be '{value}'")
    elif value.startswith(".."):
        findings.append("must not start with '..'")
    return findings


def domain_prefixed_path(value: str, path: str) -> list[FieldError]:
    """A name within a domain: ``example.com/name``. It isn't bound to be a qualified name: more slashes may follow."""
    host, slash, rest = value.partition("/")
    if not value:
        return [required(path)]
    if not host or not slash or not rest:
        return [invalid_value(path, value, 'must be a domain-prefixed path (such as "acme.io/foo")')]
    findings = [invalid_value(path, host, finding) for finding in dns_subdomain(host)]
    if not _http_path_matches(rest):
        findings.append(invalid_value(path, rest, f"Invalid path (regex used for validation is '{_HTTP_PATH}')"))
    return findings


def env_var_name(value: str) -> list[str]:
    """The name of an environment variable."""
    if not value:
        return [f"environment variable name {_EMPTY}"]
    if len(value) <= limits.LABEL_VALUE_CHARS and _is_usual_variable(value):
        return []
    return [] if _env_matches(value) else [_ENV_SENTENCE]


def port_name(value: str) -> list[str]:
    """An IANA service name: the name of a container's port."""
    if len(value) <= _PORT_CHARS and _is_usual_port(value):
        return []
    findings = _length(value, _PORT_CHARS)
    if not _port_matches(value):
        findings.append("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)")
    if not any("a" <= char <= "z" for char in value):
        findings.append("must contain at least one letter (a-z)")
    if "--" in value:
        findings.append("must not contain consecutive hyphens")
    if value.startswith("-") or value.endswith("-"):
        findings.append("must not begin or end with a hyphen")
    return findings


def port_number(value: int) -> list[str]:
    """A port that can be listened on."""
    return [] if 1 <= value <= 65535 else ["must be between 1 and 65535, inclusive"]


def validate_metadata(metadata: Object, path: str, *, namespaced: bool, name_rule: NameRule) -> list[FieldError]:
    """What is wrong with an object's metadata; ``path`` is where it stands, normally ``metadata``."""
    findings = _validate_names(metadata, path, namespaced=namespaced, name_rule=name_rule)
    if labels := metadata.get("labels"):
        findings += validate_labels(labels, f"{path}.labels")
    if annotations := metadata.get("annotations"):
        findings += validate_annotations(annotations, f"{path}.annotations")
    if owners := metadata.get("ownerReferences"):
        findings += validate_owner_references(owners, f"{path}.ownerReferences")
    if finalizers := metadata.get("finalizers"):
        findings += validate_finalizers(finalizers, f"{path}.finalizers")
    return findings


def validate_labels(labels: dict[str, str], path: str) -> list[FieldError]:
    """What is wrong with a map of labels."""
    findings: list[FieldError] = []
    for key, value in labels.items():
        if wrong := qualified_name(key):
            findings += [invalid_value(path, key, finding) for finding in wrong]
        if wrong := label_value(value):
            findings += [invalid_value(path, value, finding) for finding in wrong]
    return findings


def validate_annotations(annotations: dict[str, str], path: str) -> list[FieldError]:
    """What is wrong with a map of annotations; their values are free, their size in all is not."""
    findings = [invalid_value(path, key, finding) for key in annotations for finding in qualified_name(key.lower())]
    characters = sum(map(len, annotations)) + sum(map(len, annotations.values()))
    if characters > limits.ANNOTATIONS_BYTES // 4:  # few come near, so few are measured exactly
        size = sum(len(key.encode()) + len(value.encode()) for key, value in annotations.items())
        if size > limits.ANNOTATIONS_BYTES:
            findings.append(too_long(path, limits.ANNOTATIONS_BYTES))
    return findings


def validate_owner_references(owners: Sequence[Object], path: str) -> list[FieldError]:
    """What is wrong with a list of owner references: nothing empty, one controller at the most. What is missing, the schema tells."""
    return collected(_wrong_owners(owners, path))


def _wrong_owners(owners: Sequence[Object], path: str) -> Iterator[FieldError]:
    controller = ""
    for index, owner in enumerate(owners):
        where = f"{path}[{index}]"
        api_version = owner.get("apiVersion", "v1")
        if not GroupVersion.parse(api_version).version:
            yield invalid_value(f"{where}.apiVersion", api_version, "version must not be empty")
        for name in ("kind", "name", "uid"):
            if owner.get(name) == "":
                yield invalid_value(f"{where}.{name}", "", f"{name} must not be empty")
        if (api_version, owner.get("kind")) == ("v1", "Event"):
            yield invalid_value(where, owner, "/v1, Kind=Event is disallowed from being an owner")
        if owner.get("controller"):
            mine = f"{owner.get('kind', '')}/{owner.get('name', '')}"
            if controller:
                only = f'Only one reference can have Controller set to true. Found "true" in references for {controller} and {mine}'
                yield invalid_value(path, list(owners), only)
            else:
                controller = mine


DEFAULT_SERVICE_ACCOUNT = "default"
"""The service account every namespace has."""
ORPHAN = "orphan"
"""The finalizer that makes the garbage collector let an object's dependents go free before it goes."""
DEFINITION_CLEANUP = "customresourcecleanup.apiextensions"
"""Before the dialect's suffix the finalizer that keeps a definition until the objects of its kind are gone."""
FOREGROUND = "foregroundDeletion"
"""The finalizer that makes it delete them first."""


def is_standard_finalizer(name: str, dialect: Dialect) -> bool:
    """Whether a finalizer may stand without a domain, because the cluster itself knows it."""
    return name in (ORPHAN, FOREGROUND, dialect.namespace_finalizer, dialect.group(DEFINITION_CLEANUP))


def validate_finalizers(finalizers: Sequence[str], path: str) -> list[FieldError]:
    """What is wrong with a list of finalizers."""
    findings = [invalid_value(path, name, finding) for name in finalizers for finding in qualified_name(name)]
    if ORPHAN in finalizers and FOREGROUND in finalizers:
        findings.append(invalid_value(path, list(finalizers), "finalizer orphan and foregroundDeletion cannot be both set"))
    return findings


def _validate_names(metadata: Object, path: str, *, namespaced: bool, name_rule: NameRule) -> list[FieldError]:
    findings: list[FieldError] = []
    if (prefix := metadata.get("generateName")) and (wrong := name_rule(_as_if_completed(prefix))):
        findings += [invalid_value(f"{path}.generateName", prefix, finding) for finding in wrong]
    if name := metadata.get("name"):
        if wrong := name_rule(name):
            findings += [invalid_value(f"{path}.name", name, finding) for finding in wrong]
    else:
        findings.append(required(f"{path}.name", "name or generateName is required"))
    namespace = metadata.get("namespace")
    if not namespaced:
        if namespace:
            findings.append(forbidden_field(f"{path}.namespace", "not allowed on this type"))
    elif not namespace:
        findings.append(required(f"{path}.namespace"))
    elif wrong := dns_label(namespace):
        findings += [invalid_value(f"{path}.namespace", namespace, finding) for finding in wrong]
    return findings


def _as_if_completed(prefix: str) -> str:
    """A prefix may end in a dash, because more will follow."""
    return prefix[:-2] + "a" if len(prefix) > 1 and prefix.endswith("-") else prefix


def _length(value: str, limit: int) -> list[str]:
    return [f"must be no more than {limit} characters"] if len(value) > limit else []


def _pattern(sentence: str, pattern: str, *examples: str) -> str:
    listed = " or ".join(f"'{example}', " for example in examples)
    return f"{sentence} (e.g. {listed}regex used for validation is '{pattern}')"
