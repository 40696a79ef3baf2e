"""Addresses of pods, out of their node's ranges."""

from svcsim.nodes.machines.addresses import PodAddresses


def test_an_address_given_back_is_used_again_last():
    addresses = PodAddresses(["10.1.0.0/29"])
    assert [addresses.take(owner) for owner in "abc"] == ["10.1.0.2", "10.1.0.3", "10.1.0.4"]
    assert addresses.take("a") == "10.1.0.2"
    addresses.give_back("a")
    assert [addresses.take(owner) for owner in "defg"] == ["10.1.0.5", "10.1.0.6", "10.1.0.2", ""]


def test_what_pods_had_already_is_not_given_to_others():
    addresses = PodAddresses()
    addresses.keep("10.1.0.2", "old")
    assert (addresses.known, addresses.take("a")) == (False, "")
    addresses.use(["10.1.0.0/24"])
    assert (addresses.known, addresses.take("a"), addresses.take("old")) == (True, "10.1.0.3", "10.1.0.2")
    addresses.use(["10.1.0.0/24"])
    assert addresses.take("b") == "10.1.0.4"


def test_a_pod_has_an_address_of_each_family():
    addresses = PodAddresses(["10.1.0.0/24", "fd00:1::/64"])
    assert addresses.all_of(addresses.take("a")) == ["10.1.0.2", "fd00:1::2"]
    assert addresses.all_of("10.9.0.1") == ["10.9.0.1"]
    assert PodAddresses(["fd00:1::/64"]).take("a") == "fd00:1::2"


def test_a_range_may_have_no_room():
    assert [PodAddresses([text]).take("a") for text in ("10.1.0.0/32", "10.1.0.0/31", "10.1.0.0/30")] == ["", "", "10.1.0.2"]
