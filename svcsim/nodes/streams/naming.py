"""What a pod is called in its network, and where it looks for the names of others: ``hostname``, ``/etc/hosts``, ``/etc/resolv.conf``."""

import ipaddress
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from svcsim.meta.objects import get_path, name_of, namespace_of
from svcsim.meta.pods import node_of
from svcsim.meta.types import Object
from svcsim.nodes.images.base_image import HOSTS

CLUSTER_DOMAIN = "cluster.local"
_HOSTNAME_CHARS = 63
_KERNEL_CHARS = 64
"""As many has the name of a host, as a kernel keeps it."""
_SERVERS, _SEARCHES = 3, 32
"""As many as a resolver knows."""
_OF_NODE, _OF_POD = "# Kubernetes-managed hosts file (host network).\n", "# Kubernetes-managed hosts file.\n"
_GROUPS = "fe00::0\tip6-localnet\nfe00::0\tip6-mcastprefix\nfe00::1\tip6-allnodes\nfe00::2\tip6-allrouters\n"
"""Of hosts, as a pod knows them."""
_ALIASES = "\n# Entries added by HostAliases.\n"
_DNS_OFFSET = 9
"""How far the cluster's DNS is from the API server's service, which has the first address."""
_OPTIONS = {"ndots": "5"}
"""Of a resolver that asks the cluster first."""


class Names(NamedTuple):
    """What a pod is called."""

    short: str
    full: str
    """With its domain; empty if it is in none."""
    kernel: str
    """What the host that its containers see says it is called."""


class Resolver(NamedTuple):
    """Whom to ask for names, and how."""

    servers: tuple[str, ...] = ()
    searches: tuple[str, ...] = ()
    options: tuple[tuple[str, str], ...] = ()
    """With their values, if they have any."""

    def with_own(self, config: Object) -> "Resolver":
        """With what a pod wants besides; its options go before others of the same name."""
        options = {**dict(self.options), **{option["name"]: option.get("value") or "" for option in config.get("options") or ()}}
        return Resolver(
            tuple(dict.fromkeys((*self.servers, *(config.get("nameservers") or ()))))[:_SERVERS],
            tuple(dict.fromkeys((*self.searches, *(config.get("searches") or ()))))[:_SEARCHES],
            tuple(options.items()),
        )

    def text(self) -> str:
        """The file that says so."""
        searches = f"search {' '.join(self.searches)}\n" if self.searches else ""
        servers = "".join(f"nameserver {server}\n" for server in self.servers)
        options = " ".join(f"{name}:{value}" if value else name for name, value in self.options)
        return f"{searches}{servers}" + (f"options {options}\n" if options else "")


def names_of(pod: Object) -> Names:
    """A name that overrides the others is in no domain, and a pod in its node's network is called as that is."""
    spec = pod["spec"]
    if spec.get("hostnameOverride"):
        return Names(spec["hostnameOverride"], "", spec["hostnameOverride"])
    short = str(spec.get("hostname") or name_of(pod))[:_HOSTNAME_CHARS].rstrip("-.")
    if spec.get("hostNetwork"):
        return Names(short, "", node_of(pod))
    full = f"{short}.{spec['subdomain']}.{namespace_of(pod)}.svc.{CLUSTER_DOMAIN}" if spec.get("subdomain") else ""
    return Names(short, full, full if full and spec.get("setHostnameAsFQDN") else short)


def hostname_of(pod: Object) -> str:
    """The name of the host that the containers of a pod see."""
    return names_of(pod).kernel


def name_error(pod: Object) -> str:
    """Why the host of a pod can't be called as it says; empty if it can."""
    name = names_of(pod).kernel if pod["spec"].get("setHostnameAsFQDN") else ""
    if len(name) <= _KERNEL_CHARS:
        return ""
    size = f"({_KERNEL_CHARS} characters is the max, {len(name)} characters requested)"
    return f"failed to construct FQDN from pod hostname and cluster domain, FQDN {name} is too long {size}"


def hosts_file(pod: Object) -> str:
    """Which hosts a pod knows without asking."""
    spec, names = pod["spec"], names_of(pod)
    addresses = [one["ip"] for one in get_path(pod, "status.podIPs") or ()]
    called = "\t".join(filter(None, (names.full, names.kernel if spec.get("hostNetwork") else names.short)))
    own = "".join(f"{address}\t{called}\n" for address in addresses)
    aliases = "".join(f"{chr(9).join((alias['ip'], *(alias.get('hostnames') or ())))}\n" for alias in spec.get("hostAliases") or ())
    known = f"{_OF_NODE}{HOSTS}" if spec.get("hostNetwork") else f"{_OF_POD}{HOSTS}{_GROUPS}"
    return f"{known}{own}" + (f"{_ALIASES}{aliases}" if aliases else "")


def resolver_of(pod: Object, of_cluster: Sequence[str], of_node: Iterable[str]) -> Resolver:
    """Whom the programs of a pod ask, by its DNS policy: the DNS servers of the cluster, or those of its node."""
    spec = pod["spec"]
    policy = spec.get("dnsPolicy") or "ClusterFirst"
    found = Resolver(tuple(of_node))
    if policy == "None":
        found = Resolver()
    elif of_cluster and (policy == "ClusterFirstWithHostNet" or (policy == "ClusterFirst" and not spec.get("hostNetwork"))):
        services = f"svc.{CLUSTER_DOMAIN}"
        found = Resolver(tuple(of_cluster), (f"{namespace_of(pod)}.{services}", services, CLUSTER_DOMAIN), tuple(_OPTIONS.items()))
    return found.with_own(spec.get("dnsConfig") or {})


def cluster_dns(api_service: Object) -> str:
    """The address of the cluster's DNS: the tenth of those that services have, of which the API server's service has the first."""
    return str(ipaddress.ip_address(api_service["spec"]["clusterIP"]) + _DNS_OFFSET)
