"""Flags of every command that writes: ``--dry-run`` and ``--validate``, and the query parameters they stand for."""

from svcsim.cli.failure import CommandError
from svcsim.cli.flags import Flag
from svcsim.cli.shared.command import Call

DRY_RUN_FLAG = Flag(
    "dry-run", default="none", bare="unchanged", choices=("none", "client", "server"),
    doc="none, client (only print what would be sent) or server (send it, but don't store it).",
)  # fmt: skip


VALIDATE_FLAG = Flag(
    "validate", default="strict", bare="strict", choices=("strict", "warn", "ignore"),
    doc="What the server does with unknown and duplicate fields: strict (refuse), warn or ignore.",
)  # fmt: skip


_VALIDATION = {"strict": "Strict", "true": "Strict", "warn": "Warn", "ignore": "Ignore", "false": "Ignore"}


DRY_RUN_SUFFIX = {"none": "", "client": " (dry run)", "server": " (server dry run)"}


def dry_run(call: Call) -> str:
    """What ``--dry-run`` asks for: ``none``, ``client`` or ``server``."""
    value = call.options.text("dry-run")
    if value == "unchanged":
        call.session.err.write("W: --dry-run is deprecated and can be replaced with --dry-run=client.\n")
        return "client"
    if value not in ("none", "client", "server"):
        raise CommandError(f'Invalid dry-run value ({value}). Must be "none", "server", or "client".')
    return value


def dry_query(dry: str) -> dict[str, str | int | bool]:
    """The query parameter of a dry run on the server."""
    return {"dryRun": "All" if dry == "server" else ""}


def field_validation(call: Call, dry: str) -> dict[str, str | int | bool]:
    """Query parameters that ``--validate`` and ``--dry-run`` stand for."""
    value = call.options.text("validate")
    if value not in _VALIDATION:
        raise CommandError(f'invalid - validate option "{value}"; must be one of: strict (or true), warn, ignore (or false)')
    return {"fieldValidation": _VALIDATION[value], "dryRun": "All" if dry == "server" else ""}


def validates(call: Call) -> bool:
    """Whether ``--validate`` asks for a look at what is sent."""
    return _VALIDATION.get(call.options.text("validate")) != "Ignore"
