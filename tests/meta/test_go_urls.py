"""URLs as Go reads them: in parts, written down again, and refused in its words."""

import re
from collections.abc import Callable

import pytest

from svcsim.meta.go_urls import Url, parse_request_uri, parse_url


@pytest.mark.parametrize(
    ("text", "host", "hostname", "port"),
    [
        ("http://A.COM:99999/", "A.COM:99999", "A.COM", "99999"),
        ("http://a", "a", "a", ""),
        ("http://a:/", "a:", "a", ""),
        ("https://[::1]:80/", "[::1]:80", "::1", "80"),
        ("https://[fe80::1%25en0]/", "[fe80::1%en0]", "fe80::1%en0", ""),
        ("https://[fe80::1%25e%20n]/", "[fe80::1%e n]", "fe80::1%e n", ""),
        ("http://b%C3%BCro/", "büro", "büro", ""),
        ("http://user:word@a:1/", "a:1", "a", "1"),
        ("mailto:a@b", "", "", ""),
        ("/a", "", "", ""),
    ],
)
def test_the_host_of_a_url_keeps_its_case(text: str, host: str, hostname: str, port: str):
    url = parse_url(text)
    assert (url.host, url.hostname, url.port) == (host, hostname, port)


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("http://a/b c", "/b%20c"),
        ("http://a/b%2fc[d]'", "/b%2fc[d]'"),
        ('http://a/"%2f', "/%22/"),
        ("http://a/ü", "/%C3%BC"),
        ("http://a", ""),
        ("/a?b", "/a"),
        ("*", "*"),
        ("mailto:a@b", ""),
    ],
)
def test_a_path_is_escaped_as_it_was_written_where_that_may_be(text: str, path: str):
    assert parse_url(text).escaped_path == path


def test_pairs_of_a_query_that_mean_nothing_are_passed_over():
    url = parse_url("http://a?b=c;d=e&f=%zz&%zz=g&h=i+j%20k&h=&l&=m&&n=o=p#q")
    assert url.values() == {"h": ["i j k", ""], "l": [""], "": ["m"], "n": ["o=p"]}
    assert url.fragment == "q"


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("HTTP://A/b c#d e", "http://A/b%20c#d%20e"),
        ("http://user:wo%2Frd@b%C3%BCro:1?", "http://user:wo%2Frd@b%C3%BCro:1?"),
        ("http://us%61r@a", "http://usar@a"),
        ("http://[fe80::1%25en0]:1/", "http://[fe80::1%25en0]:1/"),
        ("mailto:a@b?c", "mailto:a@b?c"),
        ("file:/a", "file:/a"),
        ("file:///a", "file:///a"),
        ("http://a#", "http://a"),
        ("/a:b", "/a:b"),
        ("*", "*"),
    ],
)
def test_a_url_is_written_down_in_one_way(text: str, written: str):
    assert str(parse_url(text)) == written
    assert str(parse_url(written)) == written


WRONG = [
    ("http://a\n/", "net/url: invalid control character in URL"),
    ("http://a\x7f", "net/url: invalid control character in URL"),
    ("http://a\t", "net/url: invalid control character in URL"),
    ("http://a b/", 'invalid character " " in host name'),
    ("http://a\\b/", 'invalid character "\\\\" in host name'),
    ("http://a%zz/", 'invalid URL escape "%zz"'),
    ("http://a%20b/", 'invalid URL escape "%20"'),
    ("http://a%", 'invalid URL escape "%"'),
    ("http://a/%zz", 'invalid URL escape "%zz"'),
    ("http://u:%zz@a/", 'invalid URL escape "%zz"'),
    ("/%zzz", 'invalid URL escape "%zz"'),
    ("http://a:x/", 'invalid port ":x" after host'),
    ("http://a:\u0661/", 'invalid port ":\u0661" after host'),
    ("http://a:b:c/", 'invalid port ":c" after host'),
    ("http://[::1]x/", 'invalid port "x" after host'),
    ("http://[::1", "missing ']' in host"),
    ("http://[1.2.3.4]/", "invalid IP-literal"),
    ("http://a[::1]/", "invalid IP-literal"),
    ("http://[web]/", 'invalid host: ParseAddr("web"): unable to parse IP'),
    ("http://[fe80::1%25%0a]/", 'invalid URL escape "%0a"'),
    ("http://evil.com\\@good.com/", "net/url: invalid userinfo"),
    ("http://\u00fc@a/", "net/url: invalid userinfo"),
    ("://a", "missing protocol scheme"),
]


@pytest.mark.parametrize(("text", "why"), WRONG)
@pytest.mark.parametrize("parse", [parse_url, parse_request_uri])
def test_what_is_no_url_is_told(parse: Callable[[str], Url], text: str, why: str):
    with pytest.raises(ValueError, match=f": {re.escape(why)}$"):
        parse(text)


@pytest.mark.parametrize("text", ["", "a", "a/b:c", "?a", "#a", "./a"])
def test_what_is_relative_is_no_request(text: str):
    parse_url(text)
    with pytest.raises(ValueError, match="empty url$" if not text else "invalid URI for request$"):
        parse_request_uri(text)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (" http://a", 'parse " http://a": first path segment in URL cannot contain colon'),
        ("http://a b#c", 'parse "http://a b": invalid character " " in host name'),
        ("http://a#%zz", 'parse "http://a#%zz": invalid URL escape "%zz"'),
    ],
)
def test_a_fragment_is_told_of_where_it_is_what_is_wrong(text: str, told: str):
    with pytest.raises(ValueError, match=f"^{re.escape(told)}$"):
        parse_url(text)


def test_a_request_has_no_fragment():
    assert parse_request_uri("/a#b").raw_path == "/a#b"
