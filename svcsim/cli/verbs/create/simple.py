"""``create`` for kinds of few fields: namespaces, service accounts, quotas, priority classes."""

from svcsim.cli.failure import CommandError
from svcsim.cli.flags import Flag, switch
from svcsim.cli.shared.command import Call
from svcsim.cli.verbs.create.from_flags import creator, new
from svcsim.meta import quantity
from svcsim.meta.types import Object


def _namespace(_call: Call, name: str) -> Object:
    return {**new("v1", "Namespace", name), "spec": {}, "status": {}}


def _service_account(_call: Call, name: str) -> Object:
    return new("v1", "ServiceAccount", name)


def _quota(call: Call, name: str) -> Object:
    spec: Object = {}
    hard = call.options.text("hard")
    if hard:
        spec["hard"] = dict(_limit(text) for text in hard.split(","))
    scopes = call.options.text("scopes").split(",") if call.options.text("scopes") else []
    if "" in scopes:
        raise CommandError('invalid resource quota scope ""')
    if scopes:
        spec["scopes"] = scopes
    return {**new("v1", "ResourceQuota", name), "spec": spec, "status": {}}


def _limit(text: str) -> tuple[str, str]:
    name, equals, amount = text.partition("=")
    if not equals or "=" in amount:
        raise CommandError(f"Invalid argument syntax {text}, expected <resource>=<value>")
    try:
        return name, quantity.canonical(amount)
    except ValueError as error:
        raise CommandError(str(error) if amount else quantity.WRONG_FORM) from error


def _priority_class(call: Call, name: str) -> Object:
    options = call.options
    obj = new(f"{call.session.dialect.group('scheduling')}/v1", "PriorityClass", name)
    obj["value"] = options.number("value")
    if options.on("global-default"):
        obj["globalDefault"] = True
    if options.text("description"):
        obj["description"] = options.text("description")
    obj["preemptionPolicy"] = options.text("preemption-policy")
    return obj


NAMESPACE = creator(
    "namespace NAME [flags]", "Create a namespace.", (), _namespace, aliases=("ns",), namespaced=False
)  # fmt: skip
SERVICE_ACCOUNT = creator(
    "serviceaccount NAME [flags]",
    "Create a service account.",
    (),
    _service_account,
    failed="failed to create serviceaccount:",
    aliases=("sa",),
)
QUOTA = creator(
    "quota NAME [--hard=RESOURCE=AMOUNT,...] [--scopes=SCOPE,...] [flags]",
    "Create a resource quota.",
    (Flag("hard", doc="The limits, as RESOURCE=AMOUNT,…."), Flag("scopes", doc="The scopes of the quota, as SCOPE,….")),
    _quota,
    failed="failed to create quota:",
    aliases=("resourcequota",),
)
PRIORITY_CLASS = creator(
    "priorityclass NAME --value=VALUE [flags]",
    "Create a priority class.",
    (
        Flag("value", "int32", 0, "The priority of pods of this class."),
        switch("global-default", "Use this class for pods without one."),
        Flag("description", doc="What the class is for."),
        Flag("preemption-policy", default="PreemptLowerPriority", doc="The preemption policy: PreemptLowerPriority or Never."),
    ),
    _priority_class,
    failed="failed to create priorityclass:",
    aliases=("pc",),
    namespaced=False,
)
