"""Hosts by their names, as programs find them: from ``/etc/hosts``, or from whom ``/etc/resolv.conf`` says to ask."""

import ipaddress
from collections.abc import Sequence
from typing import NamedTuple

from svcsim.meta.networks import parse_address
from svcsim.nodes.shell.network import outside_address
from svcsim.nodes.shell.process import Process, Usage
from svcsim.nodes.shell.programs.options import Option, read_options
from svcsim.nodes.shell.programs.simulated import SimulatedProgram

_DEFAULT_DOTS = 1
_NOT_FOUND = 2
"""How ``getent`` ends where it finds nothing."""
_DATABASES = ("hosts", "ahosts", "ahostsv4", "ahostsv6")
_NSLOOKUP = (Option("", "type", takes_value=True), Option("", "query", takes_value=True), Option("", "querytype", takes_value=True))
_FAMILIES = {"a": 4, "aaaa": 6, "any": 0, "ptr": 0}
"""Types of questions that are about addresses, and the version of IP they are for."""


class Resolving(NamedTuple):
    """Whom a container asks for names, and how."""

    servers: tuple[str, ...]
    searches: tuple[str, ...]
    dots: int
    """A name with so many is looked for as it stands first."""


class FoundHost(NamedTuple):
    """What was found for a name: its full name, and its addresses; what it was asked for by, and none."""

    name: str
    addresses: tuple[str, ...]


def resolving(process: Process) -> Resolving:
    """As ``/etc/resolv.conf`` says it."""
    servers, searches, dots = list[str](), tuple[str, ...](), _DEFAULT_DOTS
    for line in process.world.tree.text("/etc/resolv.conf").splitlines():
        match line.split():
            case ["nameserver", server, *_]:
                servers.append(server)
            case ["search", *domains]:
                searches = tuple(domains)
            case ["options", *options]:
                dots = next((int(one[6:]) for one in options if one.startswith("ndots:") and one[6:].isdecimal()), dots)
    return Resolving(tuple(servers), searches, dots)


async def find_host(process: Process, name: str, server: str, how: Resolving) -> FoundHost:
    """What a server of names tells, with the domains that are tried."""
    full = name.removesuffix(".")
    searched = [] if name.endswith(".") else [f"{full}.{domain}" for domain in how.searches]
    tried = [full, *searched] if full.count(".") >= how.dots else [*searched, full]
    for one in tried:
        await process.effort()
        addresses = await process.world.network.addresses(server, one)
        if addresses:
            return FoundHost(one, addresses)
    outside = outside_address(full)
    return FoundHost(full, (outside,)) if outside else FoundHost(full, ())


async def addresses_of(process: Process, host: str) -> tuple[str, ...]:
    """Where to reach a host; none where nobody knows it."""
    process.work.asks_others()
    if parse_address(host) is not None:
        return (host,)
    known = tuple(line[0] for line in _hosts(process) if host in line[1:])
    how = resolving(process)
    if known or not how.servers:
        return known
    return (await find_host(process, host, how.servers[0], how)).addresses


def _hosts(process: Process) -> list[list[str]]:
    """The lines of ``/etc/hosts``: an address, and what it is called."""
    lines = (line.partition("#")[0].split() for line in process.world.tree.text("/etc/hosts").splitlines())
    return [line for line in lines if line]


async def nslookup(process: Process) -> int:
    """``nslookup NAME [SERVER]``, without a look into ``/etc/hosts``."""
    name, given, family = _read_nslookup(process.args)
    process.work.asks_others()
    how = resolving(process)
    server = next(iter(await addresses_of(process, given)), "") if given else next(iter(how.servers), "")
    if not server:
        await process.say(";; connection timed out; no servers could be reached\n\n")
        return 1
    await process.say(f"Server:\t\t{server}\nAddress:\t{server}:53\n\n")
    if parse_address(name) is not None:
        pointer = ipaddress.ip_address(name).reverse_pointer
        names = await process.world.network.names(server, name)
        told = "".join(f"{pointer}\tname = {one}\n" for one in names)
        await process.say(f"{told}\n" if told else f"** server can't find {pointer}: NXDOMAIN\n\n")
        return int(not names)
    found = await find_host(process, name, server, how)
    if not found.addresses:
        await process.say(f"** server can't find {found.name}: NXDOMAIN\n\n")
        return 1
    addresses = [one for one in found.addresses if family in {0, ipaddress.ip_address(one).version}]
    lines = "".join(f"Name:\t{found.name}\nAddress: {address}\n" for address in addresses)
    await process.say(f"{lines}\n" if lines else f"*** Can't find {found.name}: No answer\n\n")
    return 0


def _read_nslookup(args: Sequence[str]) -> tuple[str, str, int]:
    """The name, the server, and the version of IP whose addresses are wanted; 0 for any. Raises `Usage`."""
    options = read_options([f"-{word}" if word.startswith("-") and not word.startswith("--") else word for word in args], _NSLOOKUP)
    if any(value.lower() not in _FAMILIES for values in options.values.values() for value in values):
        raise Usage("only addresses and names are simulated here")
    if not 1 <= len(options.rest) <= 2:
        raise Usage("usage: nslookup [-type=QUERY_TYPE] HOST [DNS_SERVER]")
    wanted = next((_FAMILIES[value.lower()] for values in options.values.values() for value in values), 0)
    return options.rest[0], options.rest[1] if len(options.rest) > 1 else "", wanted


async def getent(process: Process) -> int:
    """``getent hosts NAME…``."""
    status = 0
    for host in _read_getent(process.args):
        found = await addresses_of(process, host)
        for address in found[:1]:
            await process.say(f"{address:<15} {host}\n")
        status = status if found else _NOT_FOUND
    return status


def _read_getent(args: Sequence[str]) -> Sequence[str]:
    """The hosts that are looked for. Raises `Usage`."""
    if len(args) < 2 or args[0] not in _DATABASES:
        raise Usage("only hosts are simulated here")
    return args[1:]


NAMES: dict[str, SimulatedProgram] = {
    "nslookup": SimulatedProgram(nslookup, takes_s=1.0, reaches=lambda args: [_read_nslookup(args)[0]]),
    "getent": SimulatedProgram(getent, takes_s=1.0, reaches=_read_getent),
}
