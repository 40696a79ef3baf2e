"""``config``: looking at the user's client configuration, and changing it.

That is ``$KUBECONFIG`` or ``~/.kube/config``, as for kubectl; with ``--cluster`` that cluster's own, with ``--kubeconfig`` the named one.
Where the user has none, the own one of the cluster that other commands talk to.
"""

from pathlib import Path

from svcsim.cli.failure import CommandError, raise_all
from svcsim.cli.flags import GLOBAL_FLAGS, Flag, Options, UsageError, switch
from svcsim.cli.output.printers import JsonPrinter, make_printer, print_columns
from svcsim.cli.output.typed import CLIENT_CONFIG, shaped
from svcsim.cli.shared.command import Call, Command, no_arguments
from svcsim.cli.shared.which_cluster import WhichCluster
from svcsim.client import kubeconfig
from svcsim.client.config_lock import changing
from svcsim.meta.types import Object

REDACTED = {"certificate-authority-data": "DATA+OMITTED", "client-certificate-data": "DATA+OMITTED", "client-key-data": "DATA+OMITTED"}
SECRET = ("token", "password")


def view(call: Call) -> None:
    """Print the configuration, without secrets unless ``--raw``."""
    options = call.options
    no_arguments(call, "config view")
    config = kubeconfig.load(call.session.which.own_config_paths())
    if options.on("minify"):
        config = minified(config, options.text("context"))
    if not options.on("raw"):
        config = redacted(config)
    shown = {key: config.get(key) or (None if key in ("clusters", "contexts", "users") else config.get(key)) for key in config}
    shown = shaped({**shown, "preferences": config.get("preferences") or {}}, CLIENT_CONFIG)
    output = options.text("output") or "yaml"
    printer = JsonPrinter(typed=True) if output == "json" else make_printer(output)
    printer.print(shown, call.session.out)


def redacted(config: Object) -> Object:
    """The configuration without its secrets and without long data."""

    def hide(value: Object) -> Object:
        return {key: REDACTED.get(key, "REDACTED" if key in SECRET else item) for key, item in value.items()}

    clusters = [{**entry, "cluster": hide(entry.get("cluster") or {})} for entry in config.get("clusters") or []]
    users = [{**entry, "user": hide(entry.get("user") or {})} for entry in config.get("users") or []]
    return {**config, "clusters": clusters, "users": users}


def minified(config: Object, context: str) -> Object:
    """What concerns one context (default: the current one) alone."""
    name = context or config.get("current-context") or ""
    found = next((entry for entry in config.get("contexts") or [] if entry.get("name") == name), None)
    if found is None:
        raise CommandError("current-context must exist in order to minify" if not context else f"cannot locate context {name}")
    parts = found.get("context") or {}
    return {
        **config,
        "current-context": name,
        "contexts": [found],
        "clusters": [entry for entry in config.get("clusters") or [] if entry.get("name") == parts.get("cluster")],
        "users": [entry for entry in config.get("users") or [] if entry.get("name") == parts.get("user")],
    }


def current_context(call: Call) -> None:
    """Print the current context's name."""
    current = kubeconfig.load(call.session.which.own_config_paths()).get("current-context")
    if not current:
        raise CommandError("current-context is not set")
    call.session.out.write(f"{current}\n")


def use_context(call: Call) -> None:
    name = _one_argument(call, "use-context")
    kubeconfig.use_context(call.session.which.own_config_paths(), name)
    call.session.out.write(f'Switched to context "{name}".\n')
    if name.startswith("svcsim-"):
        call.session.err.write(f"(for kubectl and other clients; for svcsim's own commands: svcsim use {name.removeprefix('svcsim-')})\n")


def get_contexts(call: Call) -> None:
    output = call.options.text("output")
    if output not in ("", "name"):
        raise CommandError(f"output must be one of '' or 'name': {output}")
    config = kubeconfig.load(call.session.which.own_config_paths())
    entries = {entry.get("name", ""): entry.get("context") or {} for entry in config.get("contexts") or []}
    missing = [name for name in call.args if name not in entries]
    names = sorted(name for name in entries if not call.args or name in call.args)
    if output == "name":
        call.session.out.write("".join(f"{name}\n" for name in names))
    else:
        rows = [
            [
                "*" if name == config.get("current-context") else "",
                name,
                *(entries[name].get(field, "") for field in ("cluster", "user", "namespace")),
            ]
            for name in names
        ]
        header = ["CURRENT", "NAME", "CLUSTER", "AUTHINFO", "NAMESPACE"]
        print_columns(header, rows, call.session.out, no_headers=call.options.on("no-headers"))
    raise_all([CommandError(f"context {name} not found") for name in missing])


def set_context(call: Call) -> None:
    """Change a context or create a new one."""
    options = call.options
    path = _file_to_change(_paths_for_set_context(call))
    with changing(path):
        config = kubeconfig.read_file(path) or kubeconfig.empty()
        if options.on("current"):
            if call.args:
                raise CommandError("you cannot specify both a context name and --current")
            name = config.get("current-context") or ""
            if not name:
                raise CommandError("no current context is set")
        else:
            name = _one_argument(call, "set-context")
        entries = config.get("contexts") or []
        found = next((entry for entry in entries if entry.get("name") == name), None)
        changes = {
            field: options.text(flag)
            for flag, field in (("cluster", "cluster"), ("user", "user"), ("namespace", "namespace"))
            if flag in options.given
        }
        if found is None:
            entries = [*entries, {"name": name, "context": changes}]
        else:
            found["context"] = {**(found.get("context") or {}), **changes}
        kubeconfig.write_file(path, {**config, "contexts": entries})
    call.session.out.write(f'Context "{name}" {"created" if found is None else "modified"}.\n')


def _paths_for_set_context(call: Call) -> list[Path]:
    """Here ``--cluster`` names an entry of the configuration, not an svcsim cluster."""
    options = Options(GLOBAL_FLAGS)
    options.set("kubeconfig", call.options.text("kubeconfig"))
    return WhichCluster(options).own_config_paths()


def _file_to_change(paths: list[Path]) -> Path:
    return next((path for path in paths if path.exists()), paths[0])


def _one_argument(call: Call, command: str) -> str:
    if len(call.args) != 1:
        raise UsageError(f"error: unexpected args: [{' '.join(call.args)}]\nSee 'svcsim config {command} -h' for help and examples")
    return call.args[0]


_OUTPUT = Flag("output", default="", doc="yaml, json, jsonpath=….", short="o", choices=("yaml", "json", "jsonpath="))

CONFIG = Command(
    "config",
    "config SUBCOMMAND [flags]",
    "View and change your client configuration, or with --cluster that of a cluster.",
    subcommands=(
        Command("current-context", "current-context", "Print the current context's name.", (), current_context),
        Command(
            "get-contexts",
            "get-contexts [NAME...] [flags]",
            "List contexts.",
            (Flag("output", doc="The output format: name.", short="o", choices=("name",)), switch("no-headers", "Don't print headers.")),
            get_contexts,
            completes="context",
        ),
        Command(
            "set-context",
            "set-context (NAME | --current) [--cluster=NAME] [--user=NAME] [--namespace=NAME]",
            "Change a context or create a new one.",
            (
                switch("current", "Change the current context."),
                Flag("cluster", doc="The cluster entry of the context."),
            ),
            set_context,
            completes="context",
        ),
        Command("use-context", "use-context NAME", "Set the current context.", (), use_context, completes="context"),
        Command(
            "view",
            "view [flags]",
            "Print the configuration.",
            (
                _OUTPUT,
                switch("raw", "Also print secrets and certificate data."),
                switch("minify", "Print only what the current context uses."),
                switch("flatten", "Print the content of referenced files inline."),
            ),
            view,
        ),
    ),
)
