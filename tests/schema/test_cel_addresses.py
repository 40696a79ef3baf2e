"""URLs, addresses and networks in validation rules: read as Go reads them, and refused in Kubernetes' words."""

import pytest

from tests.schema.test_cel_functions import findings

VALUE = {"a": "b", "n": 3}


@pytest.mark.parametrize(
    "url",
    [
        "http://a b/",
        "http://a:x/",
        "http://a:\u0661/",
        "http://a%zz/",
        "/%zz",
        " http://a",
        "http://a\n/",
        "http://a\t/",
        "http://a\x7f",
        "http://evil.com\\@good.com/",
        "http://[1.2.3.4]/",
        "https://a:b:c/",
        "../a",
        "",
    ],
)
def test_what_is_no_url(url: str):
    assert findings("!isURL(self.a)", {"a": url}) == []
    (told,) = findings("url(self.a).getHost() == ''", {"a": url})
    assert "URL parse error during conversion from string: parse " in told


@pytest.mark.parametrize(
    "rule",
    [
        "isURL('https://user:pass@example.com:80/path?query=val#fragment') && isURL('http://a:99999') && isURL('http://a/b c')",
        "url('http://A.COM:99999/').getHostname() == 'A.COM' && url('http://A.COM:99999/').getPort() == '99999'",
        "url('HTTP://a').getScheme() == 'http' && url('HTTP://a/b c') == url('http://a/b%20c') && url('http://A') != url('http://a')",
        "url('http://[fe80::1%25en0]:1/').getHostname() == 'fe80::1%en0' && url('http://[::1]/').getHost() == '[::1]'",
        "url('http://a?b=c;d=e&f=%zz&g=h%20i+j').getQuery() == {'g': ['h i j']} && url('http://a?').getQuery() == {}",
        "url('http://a?key with spaces=value with spaces').getQuery() == {'key with spaces': ['value with spaces']}",
        "url('http://a/b?c#d').getEscapedPath() == '/b' && url('http://a').getEscapedPath() == '' && url('mailto:a@b').getHost() == ''",
        "!isCIDR('1.2.3.0/024') && !isCIDR('1.2.3.0/') && !isCIDR('1.2.3.0/33') && !isCIDR('fe80::1%a/64') && !isIP('1.2.3.4/32')",
        "format.uri().validate('http://a b').value() == ['parse \"http://a b\": invalid character \" \" in host name']",
    ],
)
def test_what_holds_of_urls_and_networks(rule: str):
    assert findings(rule, VALUE) == []


@pytest.mark.parametrize(
    ("rule", "why"),
    [
        (
            "cidr('192.168.0.0/').prefixLength() == 1",
            (
                "network address parse error during conversion from string: network address parse error during conversion from string: "
                'netip.ParsePrefix("192.168.0.0/"): bad bits after slash: ""'
            ),
        ),
        (
            "cidr('::ffff:1.2.3.4/96').prefixLength() == 1",
            'network address parse error during conversion from string: IPv4-mapped IPv6 address "::ffff:1.2.3.4/96" is not allowed',
        ),
        (
            "ip('192.168.0.0/24').family() == 4",
            (
                'IP Address "192.168.0.0/24" parse error during conversion from string: ParseAddr("192.168.0.0/24"): '
                'unexpected character (at "/24")'
            ),
        ),
        ("ip('fe80::1%eth0').family() == 6", 'IP address "fe80::1%eth0" with zone value is not allowed'),
        ("ip('::ffff:1.2.3.4').family() == 6", 'IPv4-mapped IPv6 address "::ffff:1.2.3.4" is not allowed'),
        (
            "url('http://a:x').getHost() == ''",
            'URL parse error during conversion from string: parse "http://a:x": invalid port ":x" after host',
        ),
    ],
)
def test_what_can_not_be_read_is_told_in_the_words_of_kubernetes(rule: str, why: str):
    (told,) = findings(rule, VALUE)
    assert why in told
