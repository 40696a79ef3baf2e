"""The files that a web server of a well-known image serves: what commands, copies and volumes have put where it looks for them."""

import posixpath
from urllib.parse import unquote

from svcsim.meta.http import Response
from svcsim.meta.types import Object
from svcsim.nodes.images import base_name
from svcsim.nodes.shell.tree import FileError, Tree
from svcsim.nodes.streams.base_image import FIRST_PAGE

_ROOTS = {"nginx": "/usr/share/nginx/html", "httpd": "/usr/local/apache2/htdocs", "caddy": "/usr/share/caddy"}
_INDEX = "index.html"
_OTHER = "application/octet-stream"


def web_root(container: Object) -> str:
    """Where a container's web server looks for files; empty where it runs something else."""
    if container.get("command") or container.get("args"):
        return ""
    return _ROOTS.get(base_name(container.get("image") or ""), "")


def asked_path(target: str) -> str:
    """The path that a request is for, without steps upwards; ``/`` for the front page."""
    return posixpath.normpath("/" + unquote(target.partition("?")[0]).lstrip("/"))


async def served_file(tree: Tree, root: str, path: str) -> Response | None:
    """What stands at a path below the root; nothing where no file does, and of the front page that the image came with."""
    where = posixpath.join(root, path.lstrip("/"))
    try:
        node = tree.find(where)
        if node.is_directory:
            where = posixpath.join(where, _INDEX)
            node = tree.find(where)
        if node.is_directory:
            return None
        content = await node.read()
    except FileError:
        return None
    if path == "/" and content == FIRST_PAGE:
        return None
    return Response(200, content, _content_type(where))


def _content_type(name: str) -> str:
    """What the ending of a name means; what this machine thinks of endings is nobody's business."""
    from mimetypes import MimeTypes  # noqa: PLC0415 - most clusters never serve a file

    content_type, encoding = MimeTypes(filenames=()).guess_type(name)
    return _OTHER if encoding else content_type or _OTHER
