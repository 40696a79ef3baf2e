"""``cp``: files and directories, to a container and from it. It takes a ``tar`` on the other side, as kubectl does."""

import io
import os
import posixpath
import stat
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple, TextIO

from svcsim.cli.failure import CommandError, ExitRequest
from svcsim.cli.flags import Flag, switch
from svcsim.cli.shared.command import Call, Command
from svcsim.cli.shared.pods_meant import default_container
from svcsim.cli.shared.remote_command import Wish, connect
from svcsim.cli.verbs.exec import CONTAINER_FLAG
from svcsim.meta.pods import phase_of
from svcsim.meta.types import Object

_PIECE_BYTES = 32 * 1024


class Spec(NamedTuple):
    """Where something is: a path here, or in a pod."""

    namespace: str
    pod: str
    path: str


def run(call: Call) -> int:
    """Copy in the direction in which the arguments point."""
    if len(call.args) != 2:
        raise CommandError("source and destination are required")
    source, target = (read_spec(word) for word in call.args)
    if source.pod and target.pod:
        raise CommandError("one of src or dest must be a local file specification")
    if not (source.pod or target.pod):
        raise CommandError("one of src or dest must be a remote file specification")
    if not source.path or not target.path:
        raise CommandError("filepath can not be empty")
    if source.pod:
        return _from_pod(call, source, Path(target.path))
    return _to_pod(call, Path(source.path), target)


def read_spec(word: str) -> Spec:
    """``[[NAMESPACE/]POD:]PATH``. Raises `CommandError`."""
    pod, colon, path = word.partition(":")
    if not colon or word.startswith((".", "/")):
        return Spec("", "", word)
    namespace, slash, name = pod.partition("/")
    if not pod or "/" in name:
        raise CommandError("filespec must match the canonical format: [[namespace/]pod:]file/path")
    return Spec(namespace, name, path) if slash else Spec("", pod, path)


class _Remote(NamedTuple):
    """The other side."""

    call: Call
    pod: Object
    container: str
    told: TextIO
    """Where it is shown what is said there: as in kubectl, on standard output where files come from there."""

    def run(self, words: list[str], out: io.BytesIO | None = None, source: Iterator[bytes] | None = None, *, quiet: bool = False) -> int:
        """Run a command there; what it complains of is printed here."""

        def complain(data: bytes) -> None:
            if not quiet:
                self.told.write(data.decode("utf-8", "replace"))
                self.told.flush()

        pieces = filter(None, source or ())  # one with nothing in it would be the end of all
        more = None if source is None else lambda: next(pieces, b"")
        wish = Wish("exec", self.container, tuple(words))
        return connect(self.call.session, self.pod, wish, (out or io.BytesIO()).write, complain, more)


def _remote(call: Call, spec: Spec, told: TextIO) -> _Remote:
    session = call.session
    pod = session.get(session.discovery.find("pods").path(spec.namespace or session.namespace, spec.pod))
    if phase_of(pod) in {"Succeeded", "Failed"}:
        raise CommandError(f"cannot exec into a container in a completed pod; current phase is {phase_of(pod)}")
    return _Remote(call, pod, call.options.text("container") or default_container(session, pod, told=told), told)


def _failed(call: Call, code: int) -> None:
    call.session.err.write(f"command terminated with exit code {code}\n")
    raise ExitRequest(code)


def _to_pod(call: Call, source: Path, target: Spec) -> int:
    if not os.path.lexists(source):
        raise CommandError(f"{source} doesn't exist in local filesystem")
    remote = _remote(call, target, call.session.err)
    path = posixpath.normpath(target.path)
    if remote.run(["test", "-d", path], quiet=True) == 0:
        path = posixpath.join(path, source.resolve().name)
    before, name = posixpath.split(path)
    words = ["tar", *(("--no-same-permissions", "--no-same-owner") if call.options.on("no-preserve") else ()), "-xmf", "-"]
    code = remote.run([*words, *(("-C", before) if before else ())], source=_packed(source, name))
    if code:
        _failed(call, code)
    return 0


def _packed(source: Path, name: str) -> Iterator[bytes]:
    """An archive of a file or a directory, piece by piece."""
    for path, inner in _walk(source, name):
        found = path.lstat()
        member = tarfile.TarInfo(inner)
        member.mode, member.mtime, member.uid, member.gid = stat.S_IMODE(found.st_mode), int(found.st_mtime), found.st_uid, found.st_gid
        if stat.S_ISLNK(found.st_mode):
            member.type, member.linkname = tarfile.SYMTYPE, str(path.readlink())
        elif stat.S_ISDIR(found.st_mode):
            member.type = tarfile.DIRTYPE
        elif stat.S_ISREG(found.st_mode):
            yield from _file(path, member, found.st_size)
            continue
        else:
            continue  # a socket, a device
        yield member.tobuf(tarfile.GNU_FORMAT)
    yield bytes(2 * tarfile.BLOCKSIZE)


def _file(path: Path, member: tarfile.TarInfo, size: int) -> Iterator[bytes]:
    """Exactly as much of it as the header says, though it may change meanwhile."""
    member.size = left = size
    yield member.tobuf(tarfile.GNU_FORMAT)
    with path.open("rb") as content:
        while left and (piece := content.read(min(_PIECE_BYTES, left))):
            left -= len(piece)
            yield piece
    yield bytes(left + -size % tarfile.BLOCKSIZE)


def _walk(source: Path, name: str) -> Iterator[tuple[Path, str]]:
    yield source, name
    if source.is_dir() and not source.is_symlink():
        for child in sorted(source.iterdir()):
            yield from _walk(child, f"{name}/{child.name}")


def _from_pod(call: Call, source: Spec, target: Path) -> int:
    remote = _remote(call, source, call.session.out)
    packed = _fetched(remote, source.path, call.options.number("retries"))
    unpacking = _Unpacking(call.session.err, source, target)
    with tarfile.open(fileobj=packed, mode="r:") as archive:
        for member in archive:
            unpacking.unpack(archive, member)
    return 0


def _fetched(remote: _Remote, path: str, retries: int) -> io.BytesIO:
    """The archive of a path. Where the connection breaks off, it is asked for again, as often as that may be; below 0 for ever."""
    while True:
        packed = io.BytesIO()
        try:
            code = remote.run(["tar", "cf", "-", path], packed)
        except OSError:
            if retries == 0:
                raise
            retries -= 1
            continue
        if code:
            _failed(remote.call, code)
        packed.seek(0)
        return packed


class _Unpacking:
    """Putting what came from a container where it is to be: in the place of what was asked for, whether that is a directory or not."""

    def __init__(self, told: TextIO, source: Spec, target: Path) -> None:
        self._told = told
        self._source = source
        self._target = target
        self._prefix = _inner(posixpath.normpath(source.path).lstrip("/"))
        self._told_of_links = False

    def unpack(self, archive: tarfile.TarFile, member: tarfile.TarInfo) -> None:
        """Put one file or directory there, if it belongs below the target."""
        if not member.name.startswith(self._prefix):
            raise CommandError("tar contents corrupted")
        inner = posixpath.normpath(member.name[len(self._prefix) :].lstrip("/"))
        path = self._target if inner == "." else self._target / inner
        if inner not in (".", _inner(inner)):
            self._told.write(f'warning: file "{path}" is outside target destination, skipping\n')
            return
        _make_directory(path.parent)
        if member.isdir():
            _make_directory(path)
        elif member.issym() or member.islnk():
            self._tell_of_link(path, member.linkname)
        elif member.isreg():
            content = archive.extractfile(member)
            with _created(path) as out:
                while content is not None and (piece := content.read(_PIECE_BYTES)):
                    out.write(piece)

    def _tell_of_link(self, path: Path, to: str) -> None:
        namespace, pod, source = self._source
        source = source if source == "/" else source.removesuffix("/")
        how = "" if self._told_of_links else f' (consider using "svcsim exec -n "{namespace}" "{pod}" -- tar cf - "{source}" | tar xf -")'
        self._told_of_links = True
        self._told.write(f'warning: skipping symlink: "{path}" -> "{to}"{how}\n')


def _inner(path: str) -> str:
    """A path without what leads out of where it begins."""
    while path.startswith("../"):
        path = path.removeprefix("../")
    return "" if path in (".", "..") else path.removeprefix("/")


def _created(path: Path) -> BinaryIO:
    try:
        return path.open("wb")
    except OSError as error:
        raise CommandError(f"open {path}: {(error.strerror or str(error)).lower()}") from error


def _make_directory(path: Path) -> None:
    try:
        path.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError) as error:
        in_the_way = next(one for one in (path, *path.parents) if one.exists())
        raise CommandError(f"mkdir {in_the_way}: not a directory") from error


COPY = Command(
    "cp",
    "cp FILE-SPEC-SRC FILE-SPEC-DEST [flags]",
    "Copy files and directories to and from containers.",
    (
        CONTAINER_FLAG._replace(metavar="container:copied"),
        switch("no-preserve", "Don't keep the ownership and permissions of what is copied into the container."),
        Flag("retries", "int64", 0, "How often to go on with a copy from a container that broke off; it is begun anew."),
    ),
    run,
    completes="copied",
)
