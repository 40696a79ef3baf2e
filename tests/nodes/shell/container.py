"""A container in which the simulated shell runs, without a cluster around it."""

import asyncio

from svcsim.clock import Clock
from svcsim.meta.streaming import Wanted
from svcsim.nodes.containers.reading import read_containers
from svcsim.nodes.images.base_image import base_image
from svcsim.nodes.shell.network import Network, NoNetwork
from svcsim.nodes.shell.process import ProcessUser
from svcsim.nodes.shell.tree import Disk, Tree
from svcsim.nodes.streams.commands import run_command
from svcsim.nodes.streams.namespaces import ContainerProcesses, Ended
from svcsim.nodes.streams.running import Running
from svcsim.nodes.streams.world import ContainerWorld, Inside

START_S = 1_767_225_600.0
ENVIRONMENT = {"PATH": "/usr/bin:/bin", "HOME": "/root", "COLOUR": "blue"}


class Client:
    """Whoever has a command run, and what it is told."""

    def __init__(self, *sent: bytes, tty: bool = False) -> None:
        self.wanted = Wanted(True, True, True, tty)
        self.out, self.err = b"", b""
        self.typed: asyncio.Queue[bytes] = asyncio.Queue()
        for piece in (*sent, *(() if tty else (b"",))):
            self.typed.put_nowait(piece)
        self._said = asyncio.Event()
        self._ended = False

    async def read(self) -> bytes:
        if self._ended:
            return b""
        piece = await self.typed.get()
        self._ended = not piece
        return piece

    async def write(self, data: bytes) -> None:
        self.out += data
        self._said.set()

    async def write_error(self, data: bytes) -> None:
        self.err += data

    async def resized(self) -> tuple[int, int] | None:
        return None

    async def until(self, text: bytes) -> None:
        while text not in self.out:
            self._said.clear()
            await self._said.wait()


class Container:
    def __init__(
        self, image: str = "debian:12", limit_bytes: int = 1 << 20, memory_bytes: int = 1 << 22, network: Network | None = None
    ) -> None:
        self.tree = Tree(Disk(limit_bytes), base_image(image, START_S))
        self.killed: list[int] = []
        self.memory = Disk(memory_bytes)
        self.network = network or NoNetwork()

    async def run(self, *words: str, client: Client | None = None) -> tuple[int, str, str]:
        client = client or Client()
        pod = {"metadata": {"name": "web-1"}, "spec": {"containers": [{"name": "web", "image": "nginx"}]}}
        seen = ContainerProcesses(Running(pod, read_containers(pod)[0], START_S))
        world = ContainerWorld(self.tree, "web-1", ProcessUser(), seen, Clock(START_S), self._end, self.network)
        code = await run_command(list(words), Inside(world, ENVIRONMENT, "/", self.memory), client)
        return code, client.out.decode("utf-8", "surrogateescape"), client.err.decode()

    def _end(self, ended: Ended, _at: float) -> None:
        self.killed.append(ended.exit_code)

    async def sh(self, script: str) -> tuple[int, str, str]:
        return await self.run("sh", "-c", script)
