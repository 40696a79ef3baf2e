"""MutatingAdmissionPolicyBinding: where a policy counts, and with which parameters."""

from svcsim.kinds.admissionregistration.match import MATCH_RESOURCES, PARAM_REF
from svcsim.kinds.admissionregistration.policy_columns import BINDING_COLUMNS
from svcsim.kinds.admissionregistration.policy_rules import binding_rules, mutating_binding_rules
from svcsim.kinds.groups import ADMISSION_REGISTRATION_V1
from svcsim.registry.kind import Kind
from svcsim.schema.types import Field, Str, Struct

_SPEC = Struct(
    "MutatingAdmissionPolicyBindingSpec",
    Field(1, "policyName", Str(), "Name of the policy"),
    Field(2, "paramRef", PARAM_REF, "The objects that bring parameters; of the kind that the policy says"),
    Field(3, "matchResources", MATCH_RESOURCES, "Which of the requests that the policy is about are meant; all if unset"),
    rules=(binding_rules, mutating_binding_rules),
    doc="Where a policy counts",
)
MUTATING_ADMISSION_POLICY_BINDING = Kind(
    ADMISSION_REGISTRATION_V1,
    "mutatingadmissionpolicybindings",
    Struct(
        "MutatingAdmissionPolicyBinding",
        Field(2, "spec", _SPEC, "Where the policy counts", default={}),
        doc="Puts a MutatingAdmissionPolicy into force, with parameters or without",
    ),
    namespaced=False,
    columns=BINDING_COLUMNS,
    generation=True,
    unconditional_update=False,
)
