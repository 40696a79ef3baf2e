"""What commands that make an object from flags have in common: its name, its namespace, the dry run, sending it, telling of it.

Objects are written with their fields in the order of their declaration, and with the empty ones that kubectl's typed objects show
(``creationTimestamp: null``, ``status: {}``): what ``--dry-run=client -o yaml`` prints is the same, to the byte.
"""

import json
from collections.abc import Callable

from svcsim.cli.failure import CommandError
from svcsim.cli.flags import Flag, UsageError, switch
from svcsim.cli.shared.command import Call, Command
from svcsim.cli.shared.last_applied import last_applied_key
from svcsim.cli.shared.reporting import PRINT_FLAGS, Reporter
from svcsim.cli.shared.write_options import DRY_RUN_FLAG, VALIDATE_FLAG, dry_run, field_validation
from svcsim.meta.errors import StatusError
from svcsim.meta.objects import metadata_of, name_of
from svcsim.meta.types import GroupVersion, Json, Object
from svcsim.printing.values import html_safe

Make = Callable[[Call, str], Object]
"""Makes an object of a name and flags."""

MAKING_FLAGS = (
    DRY_RUN_FLAG,
    *PRINT_FLAGS,
    VALIDATE_FLAG,
    switch("save-config", "Save the configuration in the annotation that apply uses."),
)


def manager_flag(default: str) -> Flag:
    """The flag for the name under which fields are owned."""
    return Flag("field-manager", default=default, doc="The name of the field manager.")


def new(api_version: str, kind: str, name: str, *, labels: Object | None = None, annotations: Object | None = None) -> Object:
    """The head of an object."""
    metadata: Object = {"name": name, "creationTimestamp": None}
    if labels:
        metadata["labels"] = labels
    if annotations:
        metadata["annotations"] = annotations
    return {"kind": kind, "apiVersion": api_version, "metadata": metadata}


def one_name(call: Call, path: str) -> str:
    """The one name there must be; what follows ``--`` is something else."""
    names = call.args if call.options.dash is None else call.args[: call.options.dash]
    if len(names) != 1:
        raise UsageError(f"error: exactly one NAME is required, got {len(names)}\nSee 'svcsim {path} -h' for help and examples")
    if not names[0]:
        raise CommandError("name must be specified")
    return names[0]


def ordered_json(value: Json) -> str:
    """JSON on one line, keys as they come, safe inside HTML."""
    return html_safe(json.dumps(value, separators=(",", ":"), ensure_ascii=False))


class Maker:
    """Sends one object after the other, and tells of them."""

    def __init__(self, call: Call, operation: str = "created", tried: str = "") -> None:
        """``operation`` is printed for each object; ``tried`` is printed instead if nothing is sent."""
        self._call = call
        self._operation = operation
        self._tried = tried or operation
        self.dry = dry_run(call)
        """What ``--dry-run`` asks for."""
        self._report = Reporter(call, self.dry, typed=True)
        self._query = {**field_validation(call, self.dry), "fieldManager": call.options.text("field-manager")}

    def make(self, obj: Object, *, namespaced: bool = True) -> None:
        """Create an object, or in a dry run of the client's just show it."""
        self.tell(self.send(obj, namespaced=namespaced))

    def send(self, obj: Object, *, namespaced: bool = True) -> Object:
        """Create an object without telling of it; gives it as it was made, in a dry run of the client's as it would be sent."""
        session = self._call.session
        obj = self._placed(obj, namespaced=namespaced)
        if self._call.options.on("save-config"):
            obj = self._saved(obj)
        if self.dry == "client":
            return obj
        resource = session.discovery.of_kind(obj["apiVersion"], obj["kind"])
        if resource is None:
            raise _unserved(GroupVersion.parse(obj["apiVersion"]).group, obj["kind"])
        made = session.write("POST", resource.path(session.namespace), obj, self._query)
        if self.dry == "server" and not metadata_of(made).get("resourceVersion"):
            metadata_of(made).pop("resourceVersion", None)  # what isn't kept has none
        return made

    def tell(self, obj: Object) -> None:
        """Say of an object that it was created, or show it."""
        self._report.done(obj, self._tried if self.dry == "client" else self._operation)

    def _placed(self, obj: Object, *, namespaced: bool) -> Object:
        """With its namespace, where one is spelled out: the server knows the others."""
        session = self._call.session
        if not namespaced or not session.which.namespace_given:
            return obj
        name, rest = name_of(obj), metadata_of(obj)
        return {**obj, "metadata": {"name": name, "namespace": session.namespace, **rest}}

    def _saved(self, obj: Object) -> Object:
        key = last_applied_key(self._call.session)
        metadata = metadata_of(obj)
        annotations = {**(metadata.get("annotations") or {}), key: ordered_json(obj) + "\n"}
        return {**obj, "metadata": {**metadata, "annotations": annotations}}


def _unserved(group: str, kind: str) -> StatusError:
    plural = f"{kind.lower().removesuffix('y')}{'ies' if kind.endswith('y') else 'es' if kind.endswith('s') else 's'}"
    return StatusError(404, "NotFound", f"the server could not find the requested resource (post {plural}{'.' if group else ''}{group})")


def creator(
    usage: str,
    doc: str,
    flags: tuple[Flag, ...],
    make: Make,
    *,
    failed: str = "",
    aliases: tuple[str, ...] = (),
    namespaced: bool = True,
    parent: str = "create",
) -> Command:
    """A sub-command of ``create``, named by the first word of its usage. ``failed`` stands before what the server says against it."""
    name = usage.partition(" ")[0]
    path = f"{parent} {name}"

    def run(call: Call) -> None:
        obj = make(call, one_name(call, path))
        try:
            Maker(call).make(obj, namespaced=namespaced)
        except StatusError as error:
            if not failed:
                raise
            raise CommandError(f"{failed} {error.message}") from error

    return Command(name, usage, doc, (*flags, *MAKING_FLAGS, manager_flag("kubectl-create")), run, aliases=aliases)
