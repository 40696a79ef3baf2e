"""MutatingAdmissionPolicyBinding in admissionregistration/v1beta1: the version that knows it as beta, with the same fields."""

from svcsim.kinds.admissionregistration.mutating_admission_policy_binding import MUTATING_ADMISSION_POLICY_BINDING
from svcsim.kinds.groups import ADMISSION_REGISTRATION_V1BETA1
from svcsim.kinds.shared.earlier_version import earlier_version

MUTATING_ADMISSION_POLICY_BINDING_V1BETA1 = earlier_version(MUTATING_ADMISSION_POLICY_BINDING, ADMISSION_REGISTRATION_V1BETA1, served=True)
