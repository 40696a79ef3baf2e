"""What webhooks and policies are asked about: rules about resources, selectors, conditions, parameters."""

from svcsim.kinds.admissionregistration.match_rules import match_resources_rules, param_kind_rules, param_ref_rules, rule_rules
from svcsim.kinds.shared.types import STRINGS, map_list
from svcsim.kinds.shared.words import one_of_words
from svcsim.schema.common import LABEL_SELECTOR
from svcsim.schema.types import Field, List, Str, Struct

FAILURE_POLICY = Field(
    4,
    "failurePolicy",
    one_of_words("Fail", "Ignore"),
    "What follows if it can't be asked, or fails: Fail or Ignore",
    default="Fail",
    presence=True,
)
_MATCH_POLICY = one_of_words("Equivalent", "Exact")
MATCH_POLICY = Field(
    9,
    "matchPolicy",
    _MATCH_POLICY,
    "Whether rules match requests in other versions of the resource, too (Equivalent), or as they stand (Exact)",
    default="Equivalent",
    presence=True,
)
NAMESPACE_SELECTOR = Field(5, "namespaceSelector", LABEL_SELECTOR, "Labels of the namespaces whose objects it is asked about", default={})
_OPERATIONS = List(one_of_words("*", "CONNECT", "CREATE", "DELETE", "UPDATE"), list_type="atomic")
_RULE = Struct(
    "Rule",
    Field(1, "apiGroups", STRINGS, "API groups of the resources; * means all"),
    Field(2, "apiVersions", STRINGS, "API versions of the resources; * means all"),
    Field(3, "resources", STRINGS, "Resources, with a slash before a subresource; * means all, pods/* all subresources of pods"),
    Field(
        4,
        "scope",
        one_of_words("*", "Cluster", "Namespaced"),
        "Whether resources with or without a namespace are meant",
        default="*",
        presence=True,
    ),
    doc="Resources that are meant",
)
_RULE_FIELDS = (
    Field(1, "operations", _OPERATIONS, "What is done to the resources: CREATE, UPDATE, DELETE, CONNECT, or * for all"),
    Field(2, "rule", _RULE, inline=True),
)
RULE_WITH_OPERATIONS = Struct("RuleWithOperations", *_RULE_FIELDS, rules=(rule_rules,), doc="Operations on resources that are meant")
_NAMED_RULES = List(
    Struct(
        "NamedRuleWithOperations",
        Field(1, "resourceNames", STRINGS, "Names of the objects that are meant; all if empty"),
        Field(2, "ruleWithOperations", RULE_WITH_OPERATIONS, inline=True),
        atomic=True,
        doc="Operations on resources, or on some objects by their names, that are meant",
    ),
    list_type="atomic",
)
MATCH_RESOURCES = Struct(
    "MatchResources",
    Field(1, "namespaceSelector", LABEL_SELECTOR, "Labels of the namespaces whose objects are meant", default={}),
    Field(2, "objectSelector", LABEL_SELECTOR, "Labels of the objects, new or old, that are meant", default={}),
    Field(3, "resourceRules", _NAMED_RULES, "Operations on resources that are meant; one match is enough"),
    Field(4, "excludeResourceRules", _NAMED_RULES, "Operations on resources that are not meant, whatever else says so"),
    Field(
        7,
        "matchPolicy",
        _MATCH_POLICY,
        "Whether rules match requests in other versions of the resource, too (Equivalent), or as they stand (Exact)",
        default="Equivalent",
        presence=True,
    ),
    atomic=True,
    rules=(match_resources_rules,),
    doc="Which requests are meant: all of this must match",
)
MATCH_CONDITIONS = map_list(
    Struct(
        "MatchCondition",
        Field(1, "name", Str(), "Name of the condition, for messages and metrics", required=True, default=""),
        Field(2, "expression", Str(), "CEL that comes to true for requests that are meant", required=True, default=""),
        doc="A condition on requests",
    ),
    "name",
)
PARAM_KIND = Struct(
    "ParamKind",
    Field(1, "apiVersion", Str(), "API group and version of the kind"),
    Field(2, "kind", Str(), "The kind"),
    atomic=True,
    rules=(param_kind_rules,),
    doc="The kind of object that brings a policy its parameters",
)
PARAM_REF = Struct(
    "ParamRef",
    Field(1, "name", Str(), "Name of the object; not together with selector"),
    Field(2, "namespace", Str(), "Namespace of the object; that of the request if unset"),
    Field(3, "selector", LABEL_SELECTOR, "Labels of the objects, each of which the policy is evaluated with; not together with name"),
    Field(
        4,
        "parameterNotFoundAction",
        one_of_words("Allow", "Deny"),
        "What follows if no object is found: Allow as if there were no binding, or Deny by the policy's failurePolicy",
        presence=True,
    ),
    atomic=True,
    rules=(param_ref_rules,),
    doc="The objects that bring a policy its parameters",
)
VARIABLE = Struct(
    "Variable",
    Field(1, "name", Str(), "Name of the variable, a CEL identifier: it is used as variables.NAME", required=True, default=""),
    Field(2, "expression", Str(), "CEL that gives the value; it can use the variables before it", required=True, default=""),
    atomic=True,
    doc="A value that other expressions can use",
)
