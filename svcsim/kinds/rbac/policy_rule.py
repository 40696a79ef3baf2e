"""PolicyRule: verbs that are allowed on resources or on paths, and what makes one right."""

from collections.abc import Iterator

from svcsim.kinds.shared.types import STRINGS
from svcsim.meta.errors import FieldError, invalid_value, required
from svcsim.meta.types import Json
from svcsim.schema.types import Field, List, Struct

POLICY_RULE = Struct(
    "PolicyRule",
    Field(1, "verbs", STRINGS, "Verbs that are allowed; * means all", required=True, missing="verbs must contain at least one value"),
    Field(2, "apiGroups", STRINGS, 'API groups of the resources; "" is the core group, * means all'),
    Field(3, "resources", STRINGS, "Resources the rule is about, with a slash before a subresource; * means all"),
    Field(4, "resourceNames", STRINGS, "Names of the objects the rule is about; all if empty"),
    Field(
        5,
        "nonResourceURLs",
        STRINGS,
        "Paths the rule is about, instead of resources; * is allowed as the whole last segment. They count in cluster-wide bindings alone",
    ),
    doc="What may be done: verbs on resources, or verbs on paths",
)
POLICY_RULES = List(POLICY_RULE, list_type="atomic")


def cluster_wide_rule(rule: Json, path: str) -> Iterator[FieldError]:
    """It is about resources or about paths; of resources it names the groups, too. A star ends paths, and stands for no part of a name."""
    if urls := rule.get("nonResourceURLs"):
        if any(rule.get(name) for name in ("apiGroups", "resources", "resourceNames")):
            yield invalid_value(f"{path}.nonResourceURLs", urls, "rules cannot apply to both regular resources and non-resource URLs")
        for index, url in enumerate(urls):
            if url != "*" and "*" in url.removesuffix("/*"):
                yield invalid_value(f"{path}.nonResourceURLs[{index}]", url, "'*' may only be the whole last segment of a path")
        return
    if not rule.get("apiGroups"):
        yield required(f"{path}.apiGroups", "resource rules must supply at least one api group")
    if not rule.get("resources"):
        yield required(f"{path}.resources", "resource rules must supply at least one resource")


def namespaced_rule(rule: Json, path: str) -> Iterator[FieldError]:
    """As above, and paths are in no namespace."""
    if urls := rule.get("nonResourceURLs"):
        yield invalid_value(f"{path}.nonResourceURLs", urls, "namespaced rules cannot apply to non-resource URLs")
    yield from cluster_wide_rule(rule, path)
