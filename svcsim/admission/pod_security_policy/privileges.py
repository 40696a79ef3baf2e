"""What containers may do beyond who they are: be privileged, gain privileges, see more of /proc, write to their root."""

from collections.abc import Iterator

from svcsim.admission.pod_security_policy.case import Case, context_of, set_in_context
from svcsim.meta.errors import FieldError, invalid_value
from svcsim.meta.types import Object

_ESCALATION, _READ_ONLY = "allowPrivilegeEscalation", "readOnlyRootFilesystem"
_DEFAULT_MOUNT = "Default"


def fill_container(case: Case, container: Object) -> None:
    context = context_of(container)
    if case.rules.get(_READ_ONLY) and context.get(_READ_ONLY) is None:
        set_in_context(container, _READ_ONLY, True)
    if context.get(_ESCALATION) is None:
        default = case.rules.get("defaultAllowPrivilegeEscalation")
        if default is None and case.rules.get(_ESCALATION) is False:
            default = False
        if default is not None:
            set_in_context(container, _ESCALATION, default)


def check_privileged(case: Case, container: Object, path: str) -> Iterator[FieldError]:
    context, where = context_of(container), f"{path}.securityContext"
    if context.get("privileged") and not case.rules.get("privileged"):
        yield invalid_value(f"{where}.privileged", True, "Privileged containers are not allowed")
    mount = context.get("procMount") or _DEFAULT_MOUNT
    if mount not in (case.rules.get("allowedProcMountTypes") or (_DEFAULT_MOUNT,)):
        yield invalid_value(f"{where}.procMount", mount, "ProcMountType is not allowed")


def check_gains(case: Case, container: Object, path: str) -> Iterator[FieldError]:
    context, where = context_of(container), f"{path}.securityContext"
    read_only, escalates = context.get(_READ_ONLY), context.get(_ESCALATION)
    if case.rules.get(_READ_ONLY) and not read_only:
        may = "must" if read_only is False else "may not be nil and must"
        yield invalid_value(f"{where}.{_READ_ONLY}", read_only, f"ReadOnlyRootFilesystem {may} be set to true")
    if case.rules.get(_ESCALATION) is False and escalates is not False:
        yield invalid_value(f"{where}.{_ESCALATION}", escalates, "Allowing privilege escalation for containers is not allowed")
