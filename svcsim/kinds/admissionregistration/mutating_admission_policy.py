"""MutatingAdmissionPolicy: what is changed before it is written, said in expressions."""

from svcsim.kinds.admissionregistration.expressions import of_change, of_creation
from svcsim.kinds.admissionregistration.match import MATCH_CONDITIONS, MATCH_RESOURCES, PARAM_KIND, VARIABLE
from svcsim.kinds.admissionregistration.policy_columns import PARAM_KIND_COLUMN
from svcsim.kinds.admissionregistration.policy_rules import mutating_policy
from svcsim.kinds.groups import ADMISSION_REGISTRATION_V1
from svcsim.kinds.shared.columns import AGE, length_at
from svcsim.kinds.shared.words import one_of_words
from svcsim.registry.kind import Column, Kind, Strategy
from svcsim.schema.types import Field, List, Str, Struct

_APPLY = Struct(
    "ApplyConfiguration",
    Field(1, "expression", Str(), "CEL that comes to a partial object, such as Object{spec: Object.spec{replicas: 1}}"),
    doc="A change that is merged as in server-side apply",
)
_JSON_PATCH = Struct(
    "JSONPatch",
    Field(1, "expression", Str(), 'CEL that comes to a list of JSONPatch{op: "add", path: "/spec/replicas", value: 1}'),
    doc="A change by the operations of a JSON patch",
)
_MUTATION = Struct(
    "Mutation",
    Field(2, "patchType", one_of_words("ApplyConfiguration", "JSONPatch"), "ApplyConfiguration or JSONPatch", required=True, default=""),
    Field(3, "applyConfiguration", _APPLY, "The change, for patchType ApplyConfiguration"),
    Field(4, "jsonPatch", _JSON_PATCH, "The change, for patchType JSONPatch"),
    doc="A change of the object",
)
_SPEC = Struct(
    "MutatingAdmissionPolicySpec",
    Field(1, "paramKind", PARAM_KIND, "The kind of object that brings parameters, if there are any"),
    Field(2, "matchConstraints", MATCH_RESOURCES, "Which requests the policy is about; what is deleted can't be changed"),
    Field(3, "variables", List(VARIABLE, list_type="atomic"), "Values that other expressions can use"),
    Field(4, "mutations", List(_MUTATION, list_type="atomic"), "Changes of the object, in their order"),
    Field(
        5,
        "failurePolicy",
        one_of_words("Fail", "Ignore"),
        "What follows if the policy can't be evaluated: Fail or Ignore",
        default="Fail",
        presence=True,
    ),
    Field(6, "matchConditions", MATCH_CONDITIONS, "Conditions in CEL on requests that the policy is about; all must hold"),
    Field(
        7,
        "reinvocationPolicy",
        one_of_words("IfNeeded", "Never"),
        "Whether the policy is evaluated once more when somebody, even itself, changed the object: IfNeeded or Never",
    ),
    doc="What a policy is about, and what it changes",
)
MUTATING_ADMISSION_POLICY = Kind(
    ADMISSION_REGISTRATION_V1,
    "mutatingadmissionpolicies",
    Struct(
        "MutatingAdmissionPolicy",
        Field(2, "spec", _SPEC, "What the policy is about, and what it changes", default={}),
        doc="Changes objects before they are written, by expressions; bindings say where it counts",
    ),
    namespaced=False,
    columns=(Column("Mutations", length_at("spec.mutations"), "integer", doc="Number of changes"), PARAM_KIND_COLUMN, AGE),
    strategy=Strategy(create_rules=(of_creation("spec", mutating_policy),), update_rules=(of_change("spec", mutating_policy),)),
    generation=True,
    unconditional_update=False,
)
