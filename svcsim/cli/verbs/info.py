"""``api-resources``, ``api-versions``, ``version`` and ``cluster-info``: what a server is and what it serves."""

from typing import TYPE_CHECKING

from svcsim.cli.failure import CommandError
from svcsim.cli.flags import Flag, switch, words
from svcsim.cli.output.printers import print_columns
from svcsim.cli.shared.colours import coloured
from svcsim.cli.shared.command import Call, Command, no_arguments
from svcsim.cli.shared.discovery import Resource
from svcsim.meta.errors import StatusError
from svcsim.printing.harmless import harmless
from svcsim.server.plain.version import version_info

if TYPE_CHECKING:
    from svcsim.meta.types import Object


def api_resources(call: Call) -> None:
    """List the resource types of the server."""
    options, session = call.options, call.session
    no_arguments(call, "api-resources")
    output, order = options.text("output"), options.text("sort-by")
    if output not in ("", "wide", "name"):
        raise CommandError(f"--output {output} is not available")
    if order not in ("", "name", "kind"):
        raise CommandError("--sort-by accepts only name or kind")
    all_types = session.discovery.resources if options.on("cached") else session.discovery.fresh()
    found = [resource for resource in all_types if resource.preferred and resource.verbs and _wanted(call, resource)]
    found.sort(key=lambda resource: (resource.group, resource.plural))
    if order:
        found.sort(key=lambda resource: resource.plural if order == "name" else resource.kind)
    if output == "name":
        names = [resource.full_name for resource in found]
        session.out.write(harmless("".join(f"{name}\n" for name in names)))
        return
    header = ["NAME", "SHORTNAMES", "APIVERSION", "NAMESPACED", "KIND", *(["VERBS", "CATEGORIES"] if output == "wide" else [])]
    print_columns(header, [_row(resource, wide=output == "wide") for resource in found], session.out, no_headers=options.on("no-headers"))


def _row(resource: Resource, *, wide: bool) -> list[str]:
    namespaced = "true" if resource.namespaced else "false"
    row = [resource.plural, ",".join(resource.short_names), resource.api_version, namespaced, resource.kind]
    return [*row, ",".join(resource.verbs), ",".join(resource.categories)] if wide else row


def _wanted(call: Call, resource: Resource) -> bool:
    options = call.options
    if "api-group" in options.given and resource.group != options.text("api-group"):
        return False
    if "namespaced" in options.given and resource.namespaced != options.on("namespaced"):
        return False
    return all(verb in resource.verbs for verb in options.items("verbs")) and all(
        c in resource.categories for c in options.items("categories")
    )


def api_versions(call: Call) -> None:
    """List the versions the server serves."""
    no_arguments(call, "api-versions")
    found = {resource.api_version: None for resource in call.session.discovery.fresh()}
    call.session.out.write(harmless("".join(f"{name}\n" for name in sorted(found))))


# --- version ---


def show_version(call: Call) -> None:
    """Print the versions of client and server."""
    if call.args:
        raise CommandError(f"extra arguments: [{' '.join(call.args)}]")
    output = call.options.text("output")
    if output not in ("", "json", "yaml"):
        raise CommandError("--output must be 'yaml' or 'json'")
    own = version_info()
    versions: Object = {"clientVersion": own}
    failure: Exception | None = None
    if not call.options.on("client"):
        try:
            versions["serverVersion"] = call.session.get("/version")
        except (StatusError, ConnectionError, CommandError) as error:
            failure = error
    if output == "json":
        import json

        call.session.out.write(json.dumps(versions, indent=2) + "\n")
    elif output == "yaml":
        from svcsim.meta.codec import encode_yaml

        call.session.out.write(encode_yaml(versions).decode())
    else:
        call.session.out.write(f"Client Version: {own['gitVersion']}\n")
        if "serverVersion" in versions:
            call.session.out.write(f"Server Version: {versions['serverVersion'].get('gitVersion', '')}\n")
    if failure is not None:
        raise failure


# --- cluster-info ---


def cluster_info(call: Call) -> None:
    """Show where the cluster is."""
    session = call.session
    label = session.dialect.key("cluster-service")
    services = (
        session.get(f"/api/v1/namespaces/{session.dialect.system_namespace}/services", {"labelSelector": f"{label}=true"}).get("items")
        or []
    )
    green, yellow, plain = ("\x1b[0;32m", "\x1b[0;33m", "\x1b[0m") if coloured(session.out) else ("", "", "")
    session.out.write(f"{green}Kubernetes control plane{plain} is running at {yellow}{session.access.server}{plain}\n")
    for service in services:
        name, namespace = service["metadata"]["name"], service["metadata"]["namespace"]
        title = (service["metadata"].get("labels") or {}).get(session.dialect.key("name")) or name
        port = (service["spec"].get("ports") or [{}])[0].get("name", "")
        path = f"/api/v1/namespaces/{namespace}/services/{name}{':' + port if port else ''}/proxy"
        session.out.write(f"{green}{title}{plain} is running at {yellow}{session.access.server}{path}{plain}\n")
    session.out.write("\nTo further debug and diagnose cluster problems, use 'svcsim status' and 'svcsim logs-server'.\n")


API_RESOURCES = Command(
    "api-resources",
    "api-resources [flags]",
    "List the resource types of the server.",
    (
        Flag("output", doc="The output format: wide or name.", short="o", choices=("wide", "name")),
        Flag("api-group", doc="Only types of this group.", metavar="group"),
        switch("namespaced", "Only namespaced types, or with =false only cluster-scoped ones.", default=True),
        words("verbs", "Only types that support all of these verbs."),
        words("categories", "Only types in all of these categories.", metavar="category"),
        switch("no-headers", "Don't print headers."),
        switch("cached", "Use the cached list of types if there is one."),
        Flag("sort-by", doc="Sort by name or kind.", choices=("name", "kind")),
    ),
    api_resources,
)
API_VERSIONS = Command("api-versions", "api-versions", "List the API versions of the server, as group/version.", (), api_versions)
VERSION = Command(
    "version",
    "version [--client] [flags]",
    "Print the versions of client and server.",
    (
        switch("client", "Print only the client's version."),
        Flag("output", doc="The output format: json or yaml.", short="o", choices=("json", "yaml")),
    ),
    show_version,
)
CLUSTER_INFO = Command("cluster-info", "cluster-info", "Show the address of the cluster's control plane.", (), cluster_info)
