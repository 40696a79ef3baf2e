"""The files that a web server of a well-known image serves: what commands, copies and volumes have put where it looks for them."""

import posixpath
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import unquote

from svcsim.meta.http import Response
from svcsim.meta.types import Object
from svcsim.nodes.images.base_image import FIRST_PAGE, INDEX, WEB_ROOTS, base_image
from svcsim.nodes.images.images import known_name
from svcsim.nodes.shell.tree import Disk, FileError, Tree

_OTHER = "application/octet-stream"
_FORBIDDEN, _NOT_FOUND = 403, 404


class WebPage(NamedTuple):
    """What a web server has at a path: the status of its answer, and the file it is from, if there is one."""

    status: int
    file: str = ""


def web_root(container: Object) -> str:
    """Where a container's web server looks for files; empty where it runs something else."""
    if container.get("command") or container.get("args"):
        return ""
    return WEB_ROOTS.get(known_name(container.get("image") or ""), "")


def has_volume_at(container: Object, root: str) -> bool:
    """Whether a volume may bring some of the files that its web server looks for."""
    paths = (f"{mount['mountPath'].rstrip('/')}/" for mount in container.get("volumeMounts") or ())
    return any(path.startswith(f"{root}/") or f"{root}/".startswith(path) for path in paths)


@lru_cache(maxsize=len(WEB_ROOTS))
def tree_of_image(image: str) -> Tree:
    """The files that an image brings, to be looked at. ``image`` is its name, as `known_name` has it."""
    return Tree(Disk(0), base_image(image, 0.0))


def asked_path(target: str) -> str:
    """The path that a request is for, without steps upwards; ``/`` for the front page."""
    return posixpath.normpath("/" + unquote(target.partition("?")[0]).lstrip("/"))


def page_at(tree: Tree, root: str, path: str) -> WebPage:
    """What there is at a path below the root."""
    where = posixpath.join(root, path.lstrip("/"))
    try:
        if tree.find(where).is_directory:
            where = posixpath.join(where, INDEX)
            if not tree.has(where) or tree.find(where).is_directory:
                return WebPage(_FORBIDDEN)
    except FileError:
        return WebPage(_NOT_FOUND)
    return WebPage(200, where)


async def served_file(tree: Tree, page: WebPage, path: str) -> Response | None:
    """The file of a page; nothing where there is none, and of the front page that the image came with."""
    if not page.file:
        return None
    try:
        content = await tree.find(page.file).read()
    except FileError:
        return None
    if path == "/" and content == FIRST_PAGE:
        return None
    return Response(200, content, _content_type(page.file))


def _content_type(name: str) -> str:
    """What the ending of a name means; what this machine thinks of endings is nobody's business."""
    from mimetypes import MimeTypes  # noqa: PLC0415 - most clusters never serve a file

    content_type, encoding = MimeTypes(filenames=()).guess_type(name)
    return _OTHER if encoding else content_type or _OTHER
