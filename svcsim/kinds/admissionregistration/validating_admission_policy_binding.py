"""ValidatingAdmissionPolicyBinding: where a policy counts, with which parameters, and what follows where it isn't met."""

from svcsim.kinds.admissionregistration.match import MATCH_RESOURCES, PARAM_REF
from svcsim.kinds.admissionregistration.policy_columns import BINDING_COLUMNS
from svcsim.kinds.admissionregistration.policy_rules import action_rules, binding_rules
from svcsim.kinds.groups import ADMISSION_REGISTRATION_V1
from svcsim.kinds.shared.words import one_of_words
from svcsim.registry.kind import Kind
from svcsim.schema.types import Field, List, Str, Struct

_SPEC = Struct(
    "ValidatingAdmissionPolicyBindingSpec",
    Field(1, "policyName", Str(), "Name of the policy", required=True, default=""),
    Field(2, "paramRef", PARAM_REF, "The objects that bring parameters; of the kind that the policy says"),
    Field(3, "matchResources", MATCH_RESOURCES, "Which of the requests that the policy is about are meant; all if unset"),
    Field(
        4,
        "validationActions",
        List(one_of_words("Audit", "Deny", "Warn"), list_type="set", unique=False),
        "What follows where the policy isn't met: Deny, Warn and Audit; not Deny together with Warn",
        required=True,
        missing="at least one validation action is required",
    ),
    rules=(binding_rules, action_rules),
    doc="Where a policy counts, and what follows",
)
VALIDATING_ADMISSION_POLICY_BINDING = Kind(
    ADMISSION_REGISTRATION_V1,
    "validatingadmissionpolicybindings",
    Struct(
        "ValidatingAdmissionPolicyBinding",
        Field(2, "spec", _SPEC, "Where the policy counts, and what follows", required=True, default={}),
        doc="Puts a ValidatingAdmissionPolicy into force, with parameters or without",
    ),
    namespaced=False,
    columns=BINDING_COLUMNS,
    generation=True,
    unconditional_update=False,
)
