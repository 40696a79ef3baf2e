"""What the level ``restricted`` demands besides: that a pod says itself that it wants little."""

from svcsim.admission.pod_security.baseline import seccomp_type
from svcsim.admission.pod_security.words import Finding, containers, context_of, counted, names_of, quoted_all, setters
from svcsim.meta.objects import get_path
from svcsim.meta.pods import containers_of
from svcsim.meta.types import Object

_VOLUMES = ("configMap", "csi", "downwardAPI", "emptyDir", "ephemeral", "persistentVolumeClaim", "projected", "secret", "image")
_PROFILES = ("RuntimeDefault", "Localhost")


def allow_privilege_escalation(_metadata: Object, spec: Object) -> Finding | None:
    names = names_of(spec, lambda container: context_of(container).get("allowPrivilegeEscalation") is not False)
    detail = f"{containers(names)} must set securityContext.allowPrivilegeEscalation=false"
    return Finding("allowPrivilegeEscalation != false", detail) if names else None


def capabilities(_metadata: Object, spec: Object) -> Finding | None:
    def of(container: Object, part: str) -> list[str]:
        return (context_of(container).get("capabilities") or {}).get(part) or []

    keeping = names_of(spec, lambda container: "ALL" not in of(container, "drop"))
    added = {name: None for container in containers_of(spec) for name in of(container, "add") if name != "NET_BIND_SERVICE"}
    adding = names_of(spec, lambda container: any(name != "NET_BIND_SERVICE" for name in of(container, "add")))
    told = [f'{containers(keeping)} must set securityContext.capabilities.drop=["ALL"]'] if keeping else []
    if adding:
        told.append(f"{containers(adding)} must not include {quoted_all(sorted(added))} in securityContext.capabilities.add")
    return Finding("unrestricted capabilities", "; ".join(told)) if told else None


def volumes(_metadata: Object, spec: Object) -> Finding | None:
    found = {volume["name"]: kind for volume in spec.get("volumes") or () if (kind := _type_of(volume)) not in _VOLUMES}
    if not found:
        return None
    types = sorted(dict.fromkeys(found.values()))
    use, what = ("uses" if len(found) == 1 else "use"), counted(types, "restricted volume type", "restricted volume types")
    return Finding("restricted volume types", f"{counted(list(found), 'volume', 'volumes')} {use} {what}")


def _type_of(volume: Object) -> str:
    return next((name for name in volume if name != "name"), "unknown")


def run_as_non_root(_metadata: Object, spec: Object) -> Finding | None:
    denied = setters(spec, lambda context: context.get("runAsNonRoot") is False)
    if denied:
        return Finding("runAsNonRoot != true", f"{' and '.join(denied)} must not set securityContext.runAsNonRoot=false")
    if context_of(spec).get("runAsNonRoot"):
        return None
    names = names_of(spec, lambda container: not context_of(container).get("runAsNonRoot"))
    return Finding("runAsNonRoot != true", f"pod or {containers(names)} must set securityContext.runAsNonRoot=true") if names else None


def run_as_user(_metadata: Object, spec: Object) -> Finding | None:
    found = setters(spec, lambda context: context.get("runAsUser") == 0)
    return Finding("runAsUser=0", f"{' and '.join(found)} must not set runAsUser=0") if found else None


def seccomp(_metadata: Object, spec: Object) -> Finding | None:
    wrong = setters(spec, lambda context: seccomp_type(context) not in ("", *_PROFILES))
    if wrong:
        types = sorted({seccomp_type(context_of(one)) for one in (spec, *containers_of(spec))} - {"", *_PROFILES})
        return Finding("seccompProfile", f"{' and '.join(wrong)} must not set securityContext.seccompProfile.type to {quoted_all(types)}")
    if seccomp_type(context_of(spec)):
        return None
    names = names_of(spec, lambda container: not seccomp_type(context_of(container)))
    wanted = 'must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"'
    return Finding("seccompProfile", f"pod or {containers(names)} {wanted}") if names else None


def is_windows(spec: Object) -> bool:
    return bool(get_path(spec, "os.name") == "windows")
