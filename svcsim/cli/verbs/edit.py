"""``edit``: objects in the user's editor, sent back as a patch of what was changed there."""

import os
import shlex
import subprocess
import tempfile
from pathlib import Path

from svcsim.cli.failure import CommandError, message, raise_all
from svcsim.cli.flags import Call, Command, Flag
from svcsim.cli.output.printers import unmanaged
from svcsim.cli.shared.files import FILE_FLAGS
from svcsim.cli.shared.item import Item
from svcsim.cli.shared.reporting import PRINT_FLAGS, Reporter
from svcsim.cli.shared.select import SELECTOR_FLAG, select
from svcsim.client.paths import PATCH_TYPES
from svcsim.meta import merge_patch
from svcsim.meta.codec import decode_yaml, encode_yaml
from svcsim.meta.errors import StatusError
from svcsim.meta.objects import gvk_of, name_of, namespace_of
from svcsim.meta.types import Json, Object
from svcsim.printing.values import indented_json

HEADER = """# Edit the object below; the changes are made when you save and close the editor. Lines that begin with '#'
# are ignored. An empty or unchanged file changes nothing.
#
"""


def run(call: Call) -> None:
    selection = select(call, whole=True)
    raise_all(selection.errors)
    if not selection.items:
        raise CommandError("edit cancelled, no objects found")
    managed = call.options.on("show-managed-fields")
    items = selection.items if managed else [item.with_object(unmanaged(item.obj)) for item in selection.items]
    as_json = call.options.text("output").lower() == "json"
    text = _document(items, as_json=as_json)
    trouble = ""
    while True:
        edited = _in_editor(HEADER + trouble, text, "json" if as_json else "yaml")
        content = _content(edited)
        if not content:
            call.session.err.write("Edit cancelled, saved file was empty.\n")
            return
        if content == _content(text):
            if trouble:
                call.session.err.write(f'A copy of your changes has been stored to "{_keep(text)}"\n')
                raise CommandError("Edit cancelled, no valid changes were saved.")
            call.session.err.write("Edit cancelled, no changes made.\n")
            return
        try:
            _send(call, items, decode_yaml(content.encode()))
        except StatusError as error:
            text = content
            call.session.err.write(f"error: {_named(items)} is invalid\n")
            trouble = "".join(f"# {line}\n" for line in message(error).splitlines()) + "#\n"
        else:
            return


def _named(items: list[Item]) -> str:
    return ", ".join(f'{item.resource.full_name} "{item.name}"' for item in items)


def _document(items: list[Item], *, as_json: bool) -> str:
    obj = items[0].obj if len(items) == 1 else {"apiVersion": "v1", "kind": "List", "items": [item.obj for item in items]}
    return f"{indented_json(obj)}\n" if as_json else encode_yaml(obj).decode()


def _content(text: str) -> str:
    return "".join(line for line in text.splitlines(keepends=True) if not line.startswith("#")).strip()


def _in_editor(header: str, text: str, suffix: str) -> str:
    editor = os.environ.get("SVCSIM_EDITOR") or os.environ.get("KUBE_EDITOR") or os.environ.get("EDITOR") or "vi"
    with tempfile.TemporaryDirectory(prefix="svcsim-edit-") as directory:
        path = Path(directory) / f"object.{suffix}"
        path.write_text(header + text, "utf-8")
        try:
            subprocess.run([*shlex.split(editor), str(path)], check=True)  # noqa: S603 - the user's own editor
        except FileNotFoundError as error:
            raise CommandError(f'unable to launch the editor "{editor}"; set EDITOR to one you have') from error
        except subprocess.CalledProcessError as error:
            raise CommandError(f'there was a problem with the editor "{editor}"') from error
        return path.read_text("utf-8")


def _keep(text: str) -> str:
    handle, path = tempfile.mkstemp(prefix="svcsim-edit-", suffix=".yaml")
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(text + "\n")
    return path


def _send(call: Call, items: list[Item], edited: Json) -> None:
    report = Reporter(call, "none")
    objects = edited.get("items") or [] if isinstance(edited, dict) and edited.get("kind") == "List" else [edited]
    wanted = {_identity(obj): obj for obj in objects if isinstance(obj, dict)}
    for item in items:
        after = wanted.get(_identity(item.obj))
        if after is None:
            raise StatusError(
                400, "BadRequest", f'{item.resource.print_kind} "{item.name}" is gone from the file; names and kinds can\'t be edited'
            )
        patch = merge_patch.diff(item.obj, after)
        if not patch:
            call.session.out.write(f"{item.resource.print_kind}/{item.name} skipped\n")
            continue
        query = {"fieldManager": call.options.text("field-manager")}
        path = item.resource.path(item.namespace, item.name, call.options.text("subresource"))
        report.done(call.session.write("PATCH", path, patch, query, PATCH_TYPES["merge"]), "edited")


def _identity(obj: Object) -> tuple[str, ...]:
    return (*gvk_of(obj), namespace_of(obj), name_of(obj))


EDIT = Command(
    "edit",
    "edit (RESOURCE/NAME | -f FILENAME) [flags]",
    "Edit objects in your editor ($SVCSIM_EDITOR, $KUBE_EDITOR or $EDITOR).",
    (
        *FILE_FLAGS,
        SELECTOR_FLAG,
        *PRINT_FLAGS,
        Flag("subresource", doc="Edit this subresource of the object."),
        Flag("field-manager", default="kubectl-edit", doc="The name of the field manager."),
    ),
    run,
    completes="resource",
)
