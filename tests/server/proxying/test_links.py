"""Links in pages from below a proxy path."""

import pytest

from svcsim.server.proxying.links import moved, root_of, with_links

ROOT = "/api/v1/namespaces/a/pods/proxy:80/proxy"


@pytest.mark.parametrize(
    ("path", "root"),
    [
        (f"{ROOT}/x/proxy/y", ROOT),
        (ROOT, ROOT),
        ("/api/v1/nodes/n:10250/proxy/logs/", "/api/v1/nodes/n:10250/proxy"),
        ("/api/v1/nodes/proxy-1/proxy/", "/api/v1/nodes/proxy-1/proxy"),
    ],
)
def test_the_root_is_what_stands_before_the_path_that_is_asked(path: str, root: str) -> None:
    assert root_of(path) == root


@pytest.mark.parametrize(
    ("link", "told"),
    [
        ("/x?y=1#z", f"{ROOT}/x?y=1#z"),
        ("/", f"{ROOT}/"),
        ("http://me/x", f"{ROOT}/x"),
        ("//me/x", f"{ROOT}/x"),
        (f"{ROOT}/x", f"{ROOT}/x"),
        ("x/y", "x/y"),
        ("../x", "../x"),
        ("#top", "#top"),
        ("", ""),
        ("https://others/x", "https://others/x"),
        ("mailto:a@b", "mailto:a@b"),
        ("/%zz", "/%zz"),
    ],
)
def test_a_link_from_the_root_leads_below_the_object(link: str, told: str) -> None:
    assert moved(link, ROOT, "me") == told


@pytest.mark.parametrize(
    ("page", "told"),
    [
        ('<a href="/x">/x</a>', f'<a href="{ROOT}/x">/x</a>'),
        ("<A class='c' HREF = '/x' id=\"/y\">", f"<A class='c' HREF = '{ROOT}/x' id=\"/y\">"),
        ('<video src="/a" poster="/b"></video>', f'<video src="{ROOT}/a" poster="{ROOT}/b"></video>'),
        ('<a href="/x?a=1&amp;b=2">', f'<a href="{ROOT}/x?a=1&amp;b=2">'),
        ('<abbr href="/x"><p src="/y"> a < b href="/z"', '<abbr href="/x"><p src="/y"> a < b href="/z"'),
        ("no page at all", "no page at all"),
    ],
)
def test_only_what_is_a_link_is_changed(page: str, told: str) -> None:
    assert with_links(page, ROOT, "me") == told
