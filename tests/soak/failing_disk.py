"""A disk that fails on order: a small library, made here, that is loaded into a process and its children (`failing_disk.c`)."""

import ctypes
import mmap
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

CALLS = ("write", "pwrite", "pwritev", "fsync", "fdatasync", "ftruncate", "open", "rename", "mkdir", "read", "pread", "posix_fallocate")
"""In the order of the numbers they have there."""
FOR_GOOD = 2**31 - 1
SOURCE = Path(__file__).with_suffix(".c")


class _Orders(ctypes.Structure):
    _fields_ = tuple((name, ctypes.c_int32) for name in ("call", "error", "passes", "times", "failed"))


class FailingDisk:
    """What is below ``root`` lies on it, for processes with that ``environment``."""

    def __init__(self, scratch: Path, root: Path) -> None:
        """Raises `CalledProcessError` where the library can't be made."""
        library, orders = scratch / "failing_disk.so", scratch / "orders"
        subprocess.run([_compiler(), "-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-o", library, SOURCE, "-ldl"], check=True)
        orders.write_bytes(bytes(ctypes.sizeof(_Orders)))
        self.environment = {"LD_PRELOAD": str(library), "FAILING_DISK_ORDERS": str(orders), "FAILING_DISK_ROOT": str(root)}
        with orders.open("r+b") as file:
            self._orders = _Orders.from_buffer(mmap.mmap(file.fileno(), 0))

    @contextmanager
    def failing(self, call: str, error: int, *, passes: int, times: int) -> Iterator[None]:
        """Fail a call with an error, so many ``times`` after as many that go well, for as long as the context lasts."""
        orders = self._orders
        orders.error, orders.passes, orders.times, orders.failed = error, passes, times, 0
        orders.call = CALLS.index(call) + 1
        try:
            yield
        finally:
            self.heal()

    def heal(self) -> None:
        self._orders.call = 0

    @property
    def failed(self) -> int:
        """How often it has, since it was last told to."""
        return int(self._orders.failed)


def can_fail() -> bool:
    """Whether there is what makes such a disk: a compiler for C, on Linux."""
    return bool(_compiler()) and os.uname().sysname == "Linux"


def _compiler() -> str:
    return shutil.which("cc") or shutil.which("gcc") or ""
