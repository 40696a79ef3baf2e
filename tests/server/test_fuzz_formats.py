"""Whatever comes in as protobuf, as a patch, or is asked for in an Accept header: an answer, and never a 500."""

import json

from hypothesis import given
from hypothesis import strategies as st

from svcsim.meta.http import Request
from svcsim.meta.types import Json
from svcsim.schema.protobuf import encode_envelope
from svcsim.schema.wire import FIXED32, FIXED64, LENGTH, VARINT, sized, tag, varint
from tests.server.conftest import ADMIN, Server
from tests.server.test_fuzz import MAPS, PODS, SETTINGS, check, run

MEDIA = "application/vnd.kubernetes.protobuf"
PATHS = (("POST", MAPS), ("PUT", f"{MAPS}/one"), ("DELETE", f"{MAPS}/one"), ("PUT", f"{PODS}/one/status"), ("POST", f"{PODS}/one/binding"))

numbers = st.integers(1, 20)
leaves = st.one_of(
    st.tuples(numbers, st.integers(0, 2**64 - 1)).map(lambda field: tag(field[0], VARINT) + varint(field[1])),
    st.tuples(numbers, st.binary(min_size=8, max_size=8)).map(lambda field: tag(field[0], FIXED64) + field[1]),
    st.tuples(numbers, st.binary(min_size=4, max_size=4)).map(lambda field: tag(field[0], FIXED32) + field[1]),
    st.tuples(numbers, st.binary(max_size=12)).map(lambda field: sized(tag(field[0], LENGTH), field[1])),
)
messages = st.recursive(
    leaves,
    lambda inner: st.tuples(numbers, st.lists(inner, max_size=3)).map(lambda field: sized(tag(field[0], LENGTH), b"".join(field[1]))),
    max_leaves=10,
)
kinds = st.sampled_from(("ConfigMap", "Pod", "Binding", "DeleteOptions", "Status", "ConfigMapList", "PartialObjectMetadata", ""))
versions = st.sampled_from(("v1", "apps/v1", "meta.k8s.io/v1", "", "a/b/c"))
envelopes = st.tuples(versions, kinds, st.lists(messages, max_size=4).map(b"".join)).map(lambda parts: encode_envelope(*parts))
cut = st.tuples(envelopes, st.integers(0, 60)).map(lambda parts: parts[0][: -parts[1] or None])


@SETTINGS
@given(st.lists(envelopes | cut | messages, max_size=6))
def test_any_message_is_answered(bodies: list[bytes]) -> None:
    async def play(server: Server) -> None:
        for body in bodies:
            for method, path in PATHS:
                await check(server, Request(method, path, "", {"content-type": MEDIA, "accept": MEDIA}, body, ADMIN))

    run(play)


types = st.sampled_from((MEDIA, "application/json", "application/yaml", "*/*", "application/*", "text/html", "")) | st.text(max_size=6)
parameters = st.sampled_from(
    (
        "as=Table",
        "as=PartialObjectMetadata",
        "as=PartialObjectMetadataList",
        "as=APIGroupDiscoveryList",
        "g=meta.k8s.io",
        "v=v1",
        "v=v1beta1",
    )
)
qualities = st.sampled_from(("q=0", "q=0.5", "q=1", "q=x", "q=-1", "q=inf", "q=nan", "stream=watch", "charset=utf-8")) | st.text(max_size=5)
clauses = st.tuples(types, st.lists(parameters | qualities, max_size=4)).map(lambda parts: ";".join((parts[0], *parts[1])))
READ = (MAPS, f"{MAPS}/one", f"{MAPS}/none", "/api", "/apis", "/api/v1", "/openapi/v2", "/openapi/v3", "/openapi/v3/api/v1", "/version")


@SETTINGS
@given(st.lists(st.lists(clauses, max_size=4).map(",".join), max_size=4), st.sampled_from(("", "watch=1&timeoutSeconds=1")))
def test_any_accept_header_is_answered(headers: list[str], query: str) -> None:
    async def play(server: Server) -> None:
        for header in headers:
            for path in READ:
                await check(server, Request("GET", path, query, {"accept": header}, b"", ADMIN))

    run(play)


directives = st.sampled_from(
    ("$patch", "$retainKeys", "$deleteFromPrimitiveList/finalizers", "$setElementOrder/containers", "name", "image")
)
values = st.recursive(
    st.none() | st.sampled_from(("delete", "replace", "merge", "one", "a")) | st.integers(-1, 3),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(("metadata", "spec", "containers", "finalizers")) | directives, inner, max_size=4)
    ),
    max_leaves=12,
)


@SETTINGS
@given(st.lists(values, max_size=5))
def test_any_strategic_patch_is_answered(patches: list[Json]) -> None:
    async def play(server: Server) -> None:
        headers = {"content-type": "application/strategic-merge-patch+json"}
        for patch in patches:
            for path in (f"{PODS}/one", f"{PODS}/one/status", f"{MAPS}/one"):
                await check(server, Request("PATCH", path, "", headers, json.dumps(patch).encode(), ADMIN))

    run(play)
