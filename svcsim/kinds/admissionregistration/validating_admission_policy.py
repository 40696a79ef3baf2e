"""ValidatingAdmissionPolicy: what is refused, said in expressions."""

from svcsim.kinds.admissionregistration.expressions import of_change, of_creation
from svcsim.kinds.admissionregistration.match import FAILURE_POLICY, MATCH_CONDITIONS, MATCH_RESOURCES, PARAM_KIND, VARIABLE
from svcsim.kinds.admissionregistration.policy_columns import PARAM_KIND_COLUMN
from svcsim.kinds.admissionregistration.policy_rules import annotation_keys, validating_policy, warning_rules
from svcsim.kinds.groups import ADMISSION_REGISTRATION_V1
from svcsim.kinds.shared.columns import AGE, length_at
from svcsim.kinds.shared.types import map_list
from svcsim.registry.kind import Column, Kind, Status, Strategy
from svcsim.schema.common import CONDITION
from svcsim.schema.types import Field, Int, List, Str, Struct

_VALIDATION = Struct(
    "Validation",
    Field(1, "expression", Str(), "CEL that comes to true for what is let pass", required=True, default=""),
    Field(2, "message", Str(), "What is said where it isn't let pass, in one line"),
    Field(3, "reason", Str(), "Reason of the refusal: Forbidden, Invalid (as if unset) or RequestEntityTooLarge", presence=True),
    Field(4, "messageExpression", Str(), "CEL that comes to what is said, before message"),
    doc="A condition that what is let pass has to meet",
)
_AUDIT_ANNOTATION = Struct(
    "AuditAnnotation",
    Field(1, "key", Str(), "Key of the annotation; the policy's name and a slash come before it", required=True, default=""),
    Field(2, "valueExpression", Str(), "CEL that comes to the value, or to null for none", required=True, default=""),
    doc="An annotation of the audit events of requests",
)
_SPEC = Struct(
    "ValidatingAdmissionPolicySpec",
    Field(1, "paramKind", PARAM_KIND, "The kind of object that brings parameters, if there are any"),
    Field(2, "matchConstraints", MATCH_RESOURCES, "Which requests the policy is about"),
    Field(3, "validations", List(_VALIDATION, list_type="atomic"), "Conditions that what is let pass has to meet"),
    Field(5, "auditAnnotations", List(_AUDIT_ANNOTATION, list_type="atomic"), "Annotations of the audit events of requests"),
    FAILURE_POLICY,
    Field(6, "matchConditions", MATCH_CONDITIONS, "Conditions in CEL on requests that the policy is about; all must hold"),
    Field(7, "variables", map_list(VARIABLE, "name"), "Values that other expressions can use"),
    doc="What a policy is about, and what it refuses",
)
_WARNING = Struct(
    "ExpressionWarning",
    Field(2, "fieldRef", Str(), "Path of the expression", required=True, default=""),
    Field(3, "warning", Str(), "What type checking has to say", required=True, default=""),
    rules=(warning_rules,),
    doc="What type checking has to say of an expression",
)
_STATUS = Struct(
    "ValidatingAdmissionPolicyStatus",
    Field(1, "observedGeneration", Int(bits=64), "The metadata.generation that was looked at last", presence=False),
    Field(
        2,
        "typeChecking",
        Struct(
            "TypeChecking",
            Field(1, "expressionWarnings", List(_WARNING, list_type="atomic"), "What there is to say of expressions"),
            doc="Results of type checking",
        ),
        "Results of type checking; present once it is done",
    ),
    Field(3, "conditions", List(CONDITION, list_type="map", keys=("type",), unique=False), "Current conditions of the policy"),
    doc="Current state of a policy",
)
VALIDATING_ADMISSION_POLICY = Kind(
    ADMISSION_REGISTRATION_V1,
    "validatingadmissionpolicies",
    Struct(
        "ValidatingAdmissionPolicy",
        Field(2, "spec", _SPEC, "What the policy is about, and what it refuses", default={}),
        Field(3, "status", _STATUS, "Current state of the policy", default={}),
        doc="Refuses requests by expressions; bindings say where it counts",
    ),
    namespaced=False,
    columns=(
        Column("Validations", length_at("spec.validations"), "integer", doc="Number of conditions"),
        PARAM_KIND_COLUMN,
        AGE,
    ),
    status=Status(),
    strategy=Strategy(
        rules=(annotation_keys,),
        create_rules=(of_creation("spec", validating_policy),),
        update_rules=(of_change("spec", validating_policy),),
    ),
    unconditional_update=False,
)
