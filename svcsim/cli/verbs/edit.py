"""``edit``: objects in the user's editor, sent back as a patch of what was changed there."""

import os
import shlex
import subprocess
import tempfile
from pathlib import Path
from typing import NoReturn

from svcsim.cli.failure import CommandError, ExitRequest, message, raise_all
from svcsim.cli.flags import Flag, switch
from svcsim.cli.shared.command import Call, Command
from svcsim.cli.shared.files import FILE_FLAGS, other_namespace
from svcsim.cli.shared.item import Item
from svcsim.cli.shared.reporting import PRINT_FLAGS, Reporter
from svcsim.cli.shared.select import SELECTOR_FLAG, select
from svcsim.cli.shared.write_options import VALIDATE_FLAG, field_validation
from svcsim.client.paths import PATCH_TYPES
from svcsim.meta import merge_patch
from svcsim.meta.codec import encode_yaml
from svcsim.meta.documents import decode_documents
from svcsim.meta.errors import StatusError, bad_request
from svcsim.meta.objects import gvk_of, name_of, namespace_of, uid_of, unmanaged
from svcsim.meta.types import Json, Object
from svcsim.printing.harmless import harmless
from svcsim.printing.values import compact_json, indented_json

HEADER = """# Edit the object below; the changes are made when you save and close the editor. Lines that begin with '#'
# are ignored. An unchanged file changes nothing.
#
"""


_MENDABLE = (400, 422)
"""Refusals of what stands in the file, which is offered again; nothing that could be written there would help against others."""


class _RefusedError(Exception):
    """The server won't have what was made of an object."""

    def __init__(self, item: Item, error: StatusError) -> None:
        super().__init__(error.message)
        self.item = item
        self.error = error


def run(call: Call) -> None:
    items = _items(call)
    as_json = call.options.text("output").lower() == "json"
    suffix = "json" if as_json else "yaml"
    text, trouble = _document(items, as_json=as_json), ""
    before = _meaning(text)
    while True:
        content = _without_comments(_in_editor(text if as_json else f"{HEADER}{trouble}{text}", suffix))
        meant = _meaning(content)
        if trouble and meant == _meaning(text):
            _keep(call, content, suffix)
            raise CommandError("Edit cancelled, no valid changes were saved.")
        if meant == before:
            call.session.err.write("Edit cancelled, no changes made.\n")
            return
        try:
            _send(call, items, _decoded(content))
        except StatusError as unreadable:
            wrong, why = items[0], message(unreadable)
        except _RefusedError as refused:
            if refused.error.code not in _MENDABLE:
                _give_up(call, refused, content, suffix)
            wrong, why = refused.item, message(refused.error)
        except (CommandError, ConnectionError):
            _keep(call, content, suffix)
            raise
        else:
            return
        text = content
        call.session.err.write(f'error: {wrong.resource.full_name} "{wrong.name}" is invalid\n')
        if as_json:
            call.session.err.write(f"{harmless(why)}\n")  # JSON has no comments to say it in
        trouble = "".join(f"# {line}\n" for line in why.splitlines()) + "#\n"


def _items(call: Call) -> list[Item]:
    """What is to be edited: the objects, or their subresource that was asked for."""
    subresource = call.options.text("subresource")
    selection = select(call, whole=True, fetch=not subresource)
    raise_all(selection.errors)
    if not selection.items:
        raise CommandError("edit cancelled, no objects found")
    items = selection.items
    if subresource:
        items = [item.with_object(call.session.get(item.resource.path(item.namespace, item.name, subresource))) for item in items]
    return items if call.options.on("show-managed-fields") else [item.with_object(unmanaged(item.obj)) for item in items]


def _give_up(call: Call, refused: _RefusedError, content: str, suffix: str) -> NoReturn:
    """Say what to do with changes that no other wording of them would make welcome."""
    what, write = f'{refused.item.resource.full_name} "{refused.item.name}"', call.session.err.write
    path = _kept(content, suffix)
    if refused.error.reason == "NotFound":
        write(f'error: {what} could not be found on the server\nThe edits you made on deleted resources have been saved to "{path}"\n')
    else:
        write(f"error: {what} could not be patched: {harmless(refused.error.message)}\n")
        write(f"You can run `svcsim replace -f {path}` to try this update again.\n")
    raise ExitRequest(1)


def _document(items: list[Item], *, as_json: bool) -> str:
    several = {"apiVersion": "v1", "items": [item.obj for item in items], "kind": "List", "metadata": {}}
    obj = items[0].obj if len(items) == 1 else several
    return f"{indented_json(obj)}\n" if as_json else encode_yaml(obj).decode()


def _without_comments(text: str) -> str:
    return "".join(line for line in text.splitlines(keepends=True) if not line.startswith("#"))


def _meaning(content: str) -> list[Json] | str:
    """What a file says, whatever its comments and spaces; itself where it can't be read."""
    try:
        return list(decode_documents(content.encode()))
    except StatusError:
        return content.strip()


def _in_editor(text: str, suffix: str) -> str:
    editor = os.environ.get("SVCSIM_EDITOR") or os.environ.get("KUBE_EDITOR") or os.environ.get("EDITOR") or "vi"
    with tempfile.TemporaryDirectory(prefix="svcsim-edit-") as directory:
        path = Path(directory) / f"object.{suffix}"
        path.write_text(text, "utf-8")
        try:
            subprocess.run([*_program(editor), str(path)], check=True)  # noqa: S603 - the user's own editor
        except OSError as error:
            raise CommandError(f'unable to launch the editor "{editor}"; set EDITOR to one you have') from error
        except subprocess.CalledProcessError as error:
            raise CommandError(f'there was a problem with the editor "{editor}"') from error
        return path.read_text("utf-8")


def _program(editor: str) -> list[str]:
    try:
        words = shlex.split(editor)
    except ValueError:
        words = []
    if not words:
        raise CommandError(f'unable to launch the editor "{editor}"; set EDITOR to the words of a command')
    return words


def _keep(call: Call, text: str, suffix: str) -> None:
    """Keep what can't be sent, and say where."""
    call.session.err.write(f'A copy of your changes has been stored to "{_kept(text, suffix)}"\n')


def _kept(text: str, suffix: str) -> str:
    handle, path = tempfile.mkstemp(prefix="svcsim-edit-", suffix=f".{suffix}")
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(text)
    return path


# --- what was edited ---


def _decoded(content: str) -> list[Object]:
    """The objects in a saved file. Raises a 400 where it can't be read as such."""
    documents = list(decode_documents(content.encode()))
    if len(documents) != 1 or not isinstance(documents[0], dict):
        raise bad_request("the file has to hold one object" if documents else "the file is empty: leave it unchanged to change nothing")
    items = documents[0].get("items")
    objects = items if isinstance(items, list) and documents[0].get("kind") == "List" else documents
    for obj in objects:
        _check(obj)
    return objects


def _check(obj: Json) -> None:
    """Refuse what can't be told to be one of the objects. Raises a 400."""
    if not isinstance(obj, dict) or not isinstance(obj.get("metadata"), dict):
        raise bad_request("the file has to hold nothing but objects with their metadata")
    for where, field in ((obj, "apiVersion"), (obj, "kind"), (obj["metadata"], "uid")):
        if not isinstance(where.get(field), str):
            raise bad_request(f"{field} not set")


def _send(call: Call, items: list[Item], edited: list[Object]) -> None:
    """Send the changes. An object that is no longer in the file stays as it is. Raises `_RefusedError`."""
    report = Reporter(call, "none")
    by_uid = {uid_of(item.obj): item for item in items}
    pairs = [(_original(by_uid, obj), obj) for obj in edited]
    for item, after in pairs:
        patch = merge_patch.diff(item.obj, after)
        if not patch:
            call.session.out.write(f"{item.resource.print_kind}/{item.name} skipped\n")
            continue
        query = {"fieldManager": call.options.text("field-manager"), **field_validation(call, "none")}
        path = item.resource.path(item.namespace, item.name, call.options.text("subresource"))
        if call.options.on("output-patch"):
            call.session.out.write(f"Patch: {harmless(compact_json(patch))}\n")
        try:
            stored = call.session.write("PATCH", path, patch, query, PATCH_TYPES["merge"])
        except StatusError as error:
            raise _RefusedError(item, error) from error
        report.done(stored, "edited")


def _original(by_uid: dict[str, Item], edited: Object) -> Item:
    """The object before it was edited. Raises `CommandError` if it can't be found, or if the file names another object now."""
    item = by_uid.get(uid_of(edited))
    if item is None:
        raise CommandError(f'no original object found for the uid "{uid_of(edited)}"')
    if namespace_of(edited) != namespace_of(item.obj):
        raise other_namespace(namespace_of(edited), item.namespace)
    if (gvk_of(edited), name_of(edited)) != (gvk_of(item.obj), name_of(item.obj)):
        raise CommandError("At least one of apiVersion, kind and name was changed")
    return item


EDIT = Command(
    "edit",
    "edit (RESOURCE/NAME | -f FILENAME) [flags]",
    "Edit objects in your editor ($SVCSIM_EDITOR, $KUBE_EDITOR or $EDITOR).",
    (
        *FILE_FLAGS,
        SELECTOR_FLAG,
        *PRINT_FLAGS,
        VALIDATE_FLAG,
        Flag("subresource", doc="Edit this subresource of the object."),
        switch("output-patch", "Print the patch, too, that was sent."),
        Flag("field-manager", default="kubectl-edit", doc="The name of the field manager."),
    ),
    run,
    completes="resource",
)
