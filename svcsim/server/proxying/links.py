"""Links in pages that come from below a ``proxy`` path: those that begin at a server's root lead below that path again."""

import re
from html import escape, unescape

from svcsim.meta.go_urls import parse_url

_ATTRIBUTES = {
    "a": "href", "area": "href", "base": "href", "link": "href", "audio": "src", "embed": "src", "script": "src", "source": "src",
    "blockquote": "cite", "del": "cite", "ins": "cite", "q": "cite", "body": "background", "button": "formaction", "form": "action",
    "html": "manifest", "video": "poster|src", "frame": "longdesc|src", "iframe": "longdesc|src", "img": "longdesc|src|usemap",
    "input": "formaction|src|usemap", "object": "classid|codebase|data|usemap",
}  # fmt: skip
"""In which attributes of which elements there is a URL."""
_TAG = re.compile(rf"<({'|'.join(_ATTRIBUTES)})(\s[^<>]*)>", re.IGNORECASE)
_IN_TAG = {tag: re.compile(rf"(\s(?:{names})\s*=\s*)([\"'])([^\"'<>]*)\2", re.IGNORECASE) for tag, names in _ATTRIBUTES.items()}
_OBJECT = re.compile(r"/api/[^/]+/(?:namespaces/[^/]+/)?[^/]+/[^/]+/proxy(?=/|$)")


def root_of(path: str) -> str:
    """The part of a request's path that stands before what is asked of the object."""
    found = _OBJECT.match(path)
    return found[0] if found else ""


def with_links(page: str, root: str, host: str) -> str:
    """A page of HTML, with its links below that root. ``host`` is whom the client asked: links that name it are of this page too."""

    def in_tag(tag: re.Match[str]) -> str:
        told = _IN_TAG[tag[1].lower()].sub(lambda one: f"{one[1]}{one[2]}{escape(moved(unescape(one[3]), root, host))}{one[2]}", tag[2])
        return f"<{tag[1]}{told}>"

    return _TAG.sub(in_tag, page)


def moved(link: str, root: str, host: str) -> str:
    """A link below that root, if it begins at the root of whom it is about."""
    try:
        url = parse_url(link)
    except ValueError:
        return link  # whoever follows it has to make sense of it
    if not url.raw_path.startswith("/") or (url.host and url.host != host):
        return link
    path = url.raw_path if url.raw_path.startswith(f"{root}/") else f"{root}{url.raw_path}"
    return str(url._replace(scheme="", user=None, host="", has_authority=False, raw_path=path))
