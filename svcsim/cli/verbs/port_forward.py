"""``port-forward``: ports of this machine that lead to ports of a pod. Each connection is a WebSocket of its own; all take turns.

One more is opened and closed at the beginning, to tell at once what kubectl tells at once.
"""

import select
import socket
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from svcsim.cli.failure import CommandError
from svcsim.cli.flags import UsageError, words
from svcsim.cli.shared.command import Call, Command
from svcsim.cli.shared.forwarded_ports import PortPair, read_ports
from svcsim.cli.shared.pods_meant import pod_meant
from svcsim.cli.shared.session import Session
from svcsim.cli.verbs.exec import RUNNING_FLAG, time_to_wait
from svcsim.meta.errors import StatusError
from svcsim.meta.networks import host_port, parse_address
from svcsim.meta.objects import name_of, namespace_of
from svcsim.meta.pods import phase_of

if TYPE_CHECKING:
    from svcsim.client.sockets import ClientSocket

_PROTOCOLS = ("v4.channel.k8s.io",)
_OPENS_NOTHING = "SPDY/3.1+portforward.k8s.io"
"""By which nothing is connected to a port before the client asks for it."""
_DATA, _ERROR = 0, 1
_PIECE_BYTES = 32 * 1024
_UNSENT_BYTES = 256 * 1024
_HEADER_BYTES = 2
"""The number of the port, with which each of the two streams begins."""
_SEE = "See 'svcsim port-forward -h' for help and examples"
_BOTH = ("127.0.0.1", "::1")


def run(call: Call) -> None:
    """Forward until interrupted, or until the pod is lost."""
    if len(call.args) < 2:
        raise UsageError(f"error: TYPE/NAME and list of ports are required for port-forward\n{_SEE}")
    obj, pod = pod_meant(call.session, call.args[0], time_to_wait(call, "port-forward"))
    ports = read_ports(call.args[1:], obj, pod)
    if phase_of(pod) != "Running":
        raise CommandError(f"unable to forward port because pod is not running. Current status={phase_of(pod)}")
    addresses = _addresses(call.options.items("address"))
    path = call.session.discovery.find("pods").path(namespace_of(pod), name_of(pod), "portforward")
    _dial(call.session, path, ports[0])
    listeners: dict[socket.socket, PortPair] = {}
    try:
        done = [_listen(call.session, port, addresses, listeners) for port in ports]
        if not any(done):
            asked = " ".join(f"{{{port.local} {port.remote}}}" for port in ports)
            raise CommandError(f"unable to listen on any of the requested ports: [{asked}]")
        call.session.out.flush()
        _Forwarding(call.session, path, listeners).run()
    except KeyboardInterrupt:
        return  # how it is ended, as kubectl sees it too
    finally:
        for listener in listeners:
            listener.close()


def _dial(session: Session, path: str, port: PortPair) -> None:
    """Connect once, so that missing rights are reported before the port is used. Raises `CommandError`."""
    try:
        session.socket(path, urlencode({"ports": port.remote}), (_OPENS_NOTHING, *_PROTOCOLS)).close()
    except StatusError as error:
        raise CommandError(f"error upgrading connection: {error.message}") from error


def _addresses(words: list[str]) -> dict[str, bool]:
    """Where to listen, in order, and whether that has to succeed everywhere: of the two of ``localhost`` one is enough."""
    found: dict[str, bool] = {}
    for word in words:
        if word == "localhost":
            found = {**dict.fromkeys(_BOTH, False), **found}
        elif parse_address(word) is not None:
            found[word] = True
        else:
            raise CommandError(f"{word} is not a valid IP")
    if not found:
        raise CommandError("you must specify at least 1 address")
    return dict(sorted(found.items()))


def _listen(session: Session, port: PortPair, addresses: dict[str, bool], listeners: dict[socket.socket, PortPair]) -> bool:
    """Listen at every address for one port, at the same number everywhere. Returns whether it worked; if not, prints why."""
    failures: list[str] = []
    failed, local = False, port.local
    for address, is_needed in addresses.items():
        try:
            listener = _listener(address, local)
        except OSError as error:
            family = "tcp6" if ":" in address else "tcp4"
            why = (error.strerror or str(error)).lower()
            failures.append(f"unable to create listener: Error listen {family} {host_port(address, local)}: bind: {why}")
            failed = failed or is_needed
            continue
        local = local or listener.getsockname()[1]
        listeners[listener] = PortPair(local, port.remote)
        session.out.write(f"Forwarding from {host_port(address, local)} -> {port.remote}\n")
    if failed or len(failures) == len(addresses):
        told = f"Listeners failed to create with the following errors: [{' '.join(failures)}]"
        session.err.write(f"Unable to listen on port {port.local}: {told}\n")
        return False
    return True


def _listener(address: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            listener.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        listener.bind((address, port))
        listener.listen()
        listener.setblocking(False)
    except OSError:
        listener.close()
        raise
    return listener


class _Link:
    """One connection: the program here, and the WebSocket that leads to the pod."""

    def __init__(self, near: socket.socket, far: "ClientSocket") -> None:
        self.near = near
        self.far = far
        self.unsent = bytearray()
        """To the program here."""
        self.near_ended = False
        self.far_ended = False
        self.wrong = b""
        self._skipped = {_DATA: 0, _ERROR: 0}
        near.setblocking(False)

    @property
    def over(self) -> bool:
        """Whether both directions have ended."""
        return self.far_ended and not self.unsent

    def from_near(self) -> None:
        """Something has come here."""
        try:
            data = self.near.recv(_PIECE_BYTES)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if data:
            self.far.send(bytes((_DATA,)) + data)
        else:
            self.near_ended = True  # the far side can't be told; what it still has to say comes through

    def from_far(self) -> None:
        """Something has come from the pod."""
        try:
            messages = self.far.receive()
        except OSError:
            messages = None
        if messages is None:
            self.far_ended = True
            return
        for message in messages:
            channel, data = message[0] if message else _DATA, message[1:]
            skip = min(_HEADER_BYTES - self._skipped.get(channel, _HEADER_BYTES), len(data))
            self._skipped[channel] = self._skipped.get(channel, _HEADER_BYTES) + skip
            if channel == _DATA:
                self.unsent += data[skip:]
            else:
                self.wrong += data[skip:]

    def flush(self) -> None:
        """Send on what the program here takes."""
        try:
            while self.unsent:
                del self.unsent[: self.near.send(self.unsent[:_PIECE_BYTES])]
        except BlockingIOError:
            pass
        except OSError:
            self.unsent.clear()
            self.far_ended = True

    def close(self) -> None:
        self.near.close()
        self.far.close()


class _Forwarding:
    """All connections, served in turn."""

    def __init__(self, session: Session, path: str, listeners: dict[socket.socket, PortPair]) -> None:
        self._session = session
        self._path = path
        self._listeners = listeners
        self._links: dict[_Link, PortPair] = {}

    def run(self) -> None:
        try:
            while True:
                self._turn()
        finally:
            for link in self._links:
                link.close()

    def _turn(self) -> None:
        readable: list[socket.socket | ClientSocket] = list(self._listeners)
        writable: list[socket.socket | ClientSocket] = []
        waiting = False
        for link in self._links:
            readable += [link.far] if len(link.unsent) < _UNSENT_BYTES else []
            readable += [link.near] if not link.near_ended and link.far.unsent_bytes < _UNSENT_BYTES else []
            writable += [*([link.near] if link.unsent else []), *([link.far] if link.far.unsent_bytes else [])]
            waiting = waiting or (link.far.waiting and len(link.unsent) < _UNSENT_BYTES)
        ready = select.select(readable, writable, [], 0 if waiting else None)[0]
        for listener in [one for one in self._listeners if one in ready]:
            self._accept(listener)
        for link, port in list(self._links.items()):
            self._serve(link, port, ready)

    def _accept(self, listener: socket.socket) -> None:
        try:
            near, _ = listener.accept()
        except OSError:
            return
        port = self._listeners[listener]
        self._session.out.write(f"Handling connection for {port.local}\n")
        self._session.out.flush()
        try:
            far = self._session.socket(self._path, urlencode({"ports": port.remote}), _PROTOCOLS)
        except StatusError as error:
            near.close()
            raise _lost(port, error.message) from error
        self._links[_Link(near, far)] = port

    def _serve(self, link: _Link, port: PortPair, ready: "list[socket.socket | ClientSocket]") -> None:
        if link.near in ready:
            link.from_near()
        if link.far in ready or link.far.waiting:
            link.from_far()
        try:
            link.far.flush()
        except OSError:
            link.far_ended = True
        link.flush()
        if link.wrong:
            link.close()
            del self._links[link]
            raise _lost(port, link.wrong.decode("utf-8", "replace"))
        if link.over:
            link.close()
            del self._links[link]


def _lost(port: PortPair, why: str) -> CommandError:
    return CommandError(f"an error occurred forwarding {port.local} -> {port.remote}: {why}\nerror: lost connection to pod")


PORT_FORWARD = Command(
    "port-forward",
    "port-forward TYPE/NAME [LOCAL_PORT:]REMOTE_PORT [...[LOCAL_PORT_N:]REMOTE_PORT_N] [flags]",
    "Forward one or more local ports to a pod.",
    (
        words("address", "The addresses to listen at.")._replace(default=["localhost"]),
        RUNNING_FLAG,
    ),
    run,
    completes="pod",
)
