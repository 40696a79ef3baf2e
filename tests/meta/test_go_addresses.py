"""Addresses and networks as Go reads them, and in which words it doesn't."""

import re

import pytest

from svcsim.meta.go_addresses import read_address, read_network


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("127.0.0.1", "127.0.0.1"),
        ("2001:DB8:0::1", "2001:db8::1"),
        ("::", "::"),
        ("1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0"),
        ("1:2:3:4:5:6:1.2.3.4", "1:2:3:4:5:6:102:304"),
        ("fe80::1%eth0", "fe80::1"),
    ],
)
def test_an_address_has_one_canonical_form(text: str, address: str):
    assert str(read_address(text)) == address


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "unable to parse IP"),
        ("web", "unable to parse IP"),
        ("%eth0", "missing IPv6 address"),
        ("192.168.0.0/24", 'unexpected character (at "/24")'),
        ("1.2.3", "IPv4 address too short"),
        ("1.2.3.4.5", "IPv4 address too long"),
        ("01.2.3.4", "IPv4 field has octet with leading zero"),
        ("256.2.3.4", "IPv4 field has value >255"),
        ("1..2.3", 'IPv4 field must have at least one digit (at ".2.3")'),
        ("1.2.3.", 'IPv4 field must have at least one digit (at ".")'),
        ("\u0661.2.3.4", 'unexpected character (at "\u0661.2.3.4")'),
        ("fe80::1%", "zone must be a non-empty string"),
        (":::1", 'each colon-separated field must have at least one digit (at ":1")'),
        ("::12345", 'each group must have 4 or less digits (at "12345")'),
        ("1::2::3", 'multiple :: in address (at ":3")'),
        ("1:2", "address string too short"),
        ("1:", 'colon must be followed by more characters (at ":")'),
        ("1::g", 'each colon-separated field must have at least one digit (at "g")'),
        ("1:2g", 'unexpected character, want colon (at "g")'),
        ("1:2:3:4:5:6:7:8:9", 'trailing garbage after address (at "9")'),
        ("1:2:3:4:5:6:7::8", "the :: must expand to at least one field of zeros"),
        ("1:2.3.4.5", 'embedded IPv4 address must replace the final 2 fields of the address (at "2.3.4.5")'),
        ("::2:3:4:5:6:7:8:1.2.3.4", 'too many hex fields to fit an embedded IPv4 at the end of the address (at "1.2.3.4")'),
        ("::1.2.3", "IPv4 address too short"),
    ],
)
def test_what_is_no_address_is_told(text: str, why: str):
    told = f'ParseAddr("{text}"): {why}'
    with pytest.raises(ValueError, match=f"^{re.escape(told)}$"):
        read_address(text)


def test_a_network_keeps_the_address_it_is_written_with():
    assert str(read_network("10.1.2.3/8")) == "10.1.2.3/8"
    assert str(read_network("10.1.2.3/8").network) == "10.0.0.0/8"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("1.2.3.4", "no '/'"),
        ("1.2.3/24", 'ParseAddr("1.2.3"): IPv4 address too short'),
        ("192.168.0.0/", 'bad bits after slash: ""'),
        ("1.2.3.0/024", 'bad bits after slash: "024"'),
        ("1.2.3.0/+24", 'bad bits after slash: "+24"'),
        ("1.2.3.0/255.0.0.0", 'bad bits after slash: "255.0.0.0"'),
        ("1.2.3.0/33", "prefix length out of range"),
        ("::/99999999", "prefix length out of range"),
        ("fe80::1%eth0/64", "IPv6 zones cannot be present in a prefix"),
    ],
)
def test_what_is_no_network_is_told(text: str, why: str):
    told = f'netip.ParsePrefix("{text}"): {why}'
    with pytest.raises(ValueError, match=f"^{re.escape(told)}$"):
        read_network(text)
