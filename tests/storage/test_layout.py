"""What the byte layout promises to those who look for bytes in it."""

from svcsim.storage.contract import Envelope
from svcsim.storage.layout import pack_envelope, pair_needle


def test_needles_stand_in_the_packed_envelope():
    packed = pack_envelope(Envelope("u", {"app": "web", "long": "x" * 63}, {"spec.nodeName": "n1"}, ("owner-1",)))
    assert pair_needle("app", "web") in packed
    assert pair_needle("long", "x" * 63) in packed
    assert pair_needle("spec.nodeName", "n1") in packed
    assert pair_needle("app", "we") not in packed
