"""``patch``: changing fields of an object by a patch of one of three types."""

from pathlib import Path

from svcsim.cli.failure import CommandError, raise_all
from svcsim.cli.flags import Flag
from svcsim.cli.shared.command import Call, Command
from svcsim.cli.shared.files import FILE_FLAGS
from svcsim.cli.shared.item import Item
from svcsim.cli.shared.reporting import PRINT_FLAGS, Reporter
from svcsim.cli.shared.select import select
from svcsim.cli.shared.session import load
from svcsim.cli.shared.write_options import DRY_RUN_FLAG, dry_query, dry_run
from svcsim.client.paths import PATCH_TYPES
from svcsim.meta import json_patch, merge_patch
from svcsim.meta.codec import decode_json, decode_yaml, encode
from svcsim.meta.errors import StatusError
from svcsim.meta.objects import deep_equal, metadata_of
from svcsim.meta.types import Json, Object
from svcsim.printing.values import quote

TYPES = ("json", "merge", "strategic")


def run(call: Call) -> None:
    options, session = call.options, call.session
    kind = options.text("type").lower()
    if kind not in TYPES:
        raise CommandError(f"--type must be one of [{' '.join(TYPES)}], not {quote(kind)}")
    body = _read(call)
    dry = dry_run(call)
    report = Reporter(call, "none")  # kubectl says nothing of a dry run here
    subresource = options.text("subresource")
    selection = select(call)
    errors = selection.errors
    query = {**dry_query(dry), "fieldManager": options.text("field-manager")}
    for item in selection.items:
        try:
            if dry == "client":
                after = _locally(call, item, decode_json(body), kind)
            else:
                path = item.resource.path(item.namespace, item.name, subresource)
                after = load(session.send("PATCH", path, query, body=body, content_type=PATCH_TYPES[kind]).body)
        except StatusError as error:
            errors.append(_unsupported(item, kind, error) if error.code == 415 else error)
            continue
        except json_patch.RejectedError as rejected:
            errors.append(CommandError(str(rejected)))
            continue
        report.done(after, "patched (no change)" if _same(item.obj, after, dry) else "patched")
    raise_all(errors)


def _unsupported(item: Item, kind: str, error: StatusError) -> CommandError:
    """What is wrong where a type takes no patches of this kind: custom resources take none that are strategic."""
    advice = "; use --type=merge" if kind == "strategic" else ""
    return CommandError(
        f"{PATCH_TYPES[kind]} is not supported by {item.resource.api_version}, Kind={item.resource.kind}: {error.message}{advice}"
    )


def _same(before: Object, after: Object, dry: str) -> bool:
    """Whether the patch changed nothing. What isn't kept gets no new revision to tell by."""
    if dry == "none":
        return bool(metadata_of(after).get("resourceVersion") == metadata_of(before).get("resourceVersion"))
    return deep_equal(before, after)


def _read(call: Call) -> bytes:
    """The patch as JSON. What begins as a JSON object is left for the server to read."""
    options = call.options
    text, filename = options.text("patch"), options.text("patch-file")
    if text and filename:
        raise CommandError("cannot specify --patch and --patch-file together")
    if filename:
        try:
            text = Path(filename).read_text("utf-8")
        except OSError as error:
            raise CommandError(f"unable to read patch file: open {filename}: {(error.strerror or str(error)).lower()}") from error
    if not text:
        raise CommandError("must specify --patch or --patch-file containing the contents of the patch")
    if text.lstrip().startswith("{"):
        return text.encode()
    try:
        return encode(decode_yaml(text.encode()))
    except StatusError as error:
        raise CommandError(f"unable to parse {quote(text)}: {error.message}") from error


def _locally(call: Call, item: Item, patch: Json, kind: str) -> Object:
    if kind != "strategic":
        after: Object = json_patch.apply(item.obj, patch) if kind == "json" else merge_patch.apply(item.obj, patch)
        return after
    from svcsim.cli.shared.openapi_schema import OpenApi
    from svcsim.schema.strategic import strategic_merge

    struct = OpenApi(call.session).struct(item.resource)
    if struct is None:
        raise CommandError(f"{item.resource.full_name} can't be patched by strategic merge; use --type=merge")
    return strategic_merge(item.obj, patch, struct)


PATCH = Command(
    "patch",
    "patch (-f FILENAME | TYPE NAME) [-p PATCH|--patch-file FILE] [flags]",
    "Change fields of an object.",
    (
        *FILE_FLAGS,
        DRY_RUN_FLAG,
        *PRINT_FLAGS,
        Flag("patch", doc="The patch, as JSON or YAML.", short="p"),
        Flag("patch-file", doc="A file with the patch.", metavar="file"),
        Flag("type", default="strategic", doc="The patch's type: json, merge or strategic.", choices=TYPES),
        Flag("subresource", doc="Patch this subresource of the object."),
        Flag("field-manager", default="kubectl-patch", doc="The name of the field manager."),
    ),
    run,
    completes="resource",
)
