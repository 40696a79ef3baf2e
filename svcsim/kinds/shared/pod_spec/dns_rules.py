"""What makes a pod's own DNS settings right."""

from collections.abc import Iterator

from svcsim.kinds.shared.checks import address
from svcsim.meta.errors import FieldError, invalid_value, required
from svcsim.meta.names import dns_search
from svcsim.meta.types import Object

_NAME_SERVERS = 3
_SEARCHES = 32
_SEARCH_CHARS = 2048


def dns_rules(spec: Object, path: str) -> Iterator[FieldError]:
    """Who takes none of the cluster's settings needs some; the resolver's limits hold."""
    config, where = spec.get("dnsConfig"), f"{path}.dnsConfig"
    if spec.get("dnsPolicy") == "None":
        if config is None:
            yield required(where, "must provide `dnsConfig` when `dnsPolicy` is None")
            return
        if not config.get("nameservers"):
            yield required(f"{where}.nameservers", "must provide at least one DNS nameserver when `dnsPolicy` is None")
            return
    if config:
        yield from _config_rules(config, where)


def _config_rules(config: Object, path: str) -> Iterator[FieldError]:
    servers, searches = config.get("nameservers") or [], config.get("searches") or []
    if len(servers) > _NAME_SERVERS:
        yield invalid_value(f"{path}.nameservers", servers, f"must not have more than {_NAME_SERVERS} nameservers")
    for index, server in enumerate(servers):
        yield from address(server, f"{path}.nameservers[{index}]")
    if len(searches) > _SEARCHES:
        yield invalid_value(f"{path}.searches", searches, f"must not have more than {_SEARCHES} search paths")
    if len(" ".join(searches)) > _SEARCH_CHARS:
        detail = f"must not have more than {_SEARCH_CHARS} characters (including spaces) in the search list"
        yield invalid_value(f"{path}.searches", searches, detail)
    for index, search in enumerate(searches):
        if search != ".":
            domain = search.removesuffix(".")
            yield from (invalid_value(f"{path}.searches[{index}]", domain, finding) for finding in dns_search(domain))
    for index, option in enumerate(config.get("options") or ()):
        if not option.get("name"):
            yield required(f"{path}.options[{index}]", "must not be empty")
