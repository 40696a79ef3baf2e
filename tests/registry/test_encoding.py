"""An object as bytes: what it is comes first, then its metadata, then all else as it stood, and it is open where its revision belongs."""

import json

from hypothesis import given
from hypothesis import strategies as st

from svcsim.dialect import DIALECTS
from svcsim.kinds.core.config_map import CONFIG_MAP
from svcsim.meta.objects import order_metadata
from svcsim.registry.core import encode_body, splice_revision
from svcsim.registry.scheme import Scheme

RESOURCE = Scheme(DIALECTS["kubernetes"], (CONFIG_MAP,)).resources[0]
TEXTS = st.dictionaries(st.text(max_size=3) | st.just('"resourceVersion":"'), st.text(max_size=3), max_size=3)
METADATA = st.fixed_dictionaries(
    {"name": st.text()}, optional={"labels": TEXTS, "annotations": TEXTS, "uid": st.text(), "resourceVersion": st.just("7")}
)
OTHERS = st.fixed_dictionaries(
    {}, optional={"kind": st.just("ConfigMap"), "apiVersion": st.just("v1"), "data": TEXTS, "immutable": st.booleans()}
)


@given(METADATA, OTHERS, st.randoms())
def test_an_object_is_encoded_in_one_order_wherever_its_fields_stood(metadata, others, chance):
    names = ["metadata", *others]
    chance.shuffle(names)
    obj = {name: metadata if name == "metadata" else others[name] for name in names}
    before = json.dumps(obj)
    encoded = splice_revision(encode_body(RESOURCE, obj), 5)
    rest = {name: obj[name] for name in names if name not in ("kind", "apiVersion", "metadata")}
    whole = {"kind": "ConfigMap", "apiVersion": "v1", "metadata": order_metadata({**metadata, "resourceVersion": "5"}), **rest}
    assert encoded == json.dumps(whole, separators=(",", ":"), ensure_ascii=False).encode()
    assert json.dumps(obj) == before
