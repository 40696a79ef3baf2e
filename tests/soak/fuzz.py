"""A server that is asked nonsense: whatever comes in is answered, soon, and never with a failure of the server's own.

Objects, patches, options and bodies in every form begin as what a client would send and are then bent. The same seed bends them the same
way. A request that is not answered within `tests.wire.raw.WAIT_S`, whose connection is dropped, or whose answer is a 5xx, ends the run
with the request; so does a line in the server's log that tells of something unforeseen.
"""

import copy
import http.client
import json
import socket
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

from svcsim.chance import Chance
from svcsim.meta.codec import encode_yaml
from svcsim.meta.types import Json, Object
from svcsim.registry.kind import Kind
from tests.kinds.helpers import KINDS
from tests.process import served
from tests.soak.progress import strikes
from tests.waiting import WAIT_S
from tests.wire.raw import APPLY, JSON_PATCH, MERGE, STRATEGIC, Answer, Wire
from tests.wire.samples import sample
from tests.wire.test_never_500 import ANYTHING, altered, places
from tests.wire.test_verbs import Served

NAMES = tuple(f"f{number}" for number in range(8))
ODD: tuple[Json, ...] = (
    *ANYTHING,
    *(2**64, -(2**63), 2**70, 1e300, -0.0, float("inf"), 1e-300),
    *("\ud800", "a\u0000b", "\U0001f600" * 50, "9" * 5_000, "²", "٣", "-1", "1e9", "0x10", "~", "null", "yes", "{{", "%s", "../.."),
    *(
        "0001-01-01T00:00:00+00:01",
        "9999-12-31T23:59:59-00:01",
        "2026-02-30T00:00:00Z",
        "1h",
        "100%",
        "1Ei",
        "10.0.0.300",
        "::ffff:1.2.3.4",
    ),
    *([[[[[[]]]]]], [{}] * 200, {"a" * 300: "b"}, {"$patch": "delete"}, {"$retainKeys": ["a"]}, {".": {}, "f:a": {}}),
    *({"op": {}, "path": []}, {"matchExpressions": [{"key": "a", "operator": "In"}]}, {"name": None}),
)
OPTIONS = (
    *("dryRun", "fieldManager", "fieldValidation", "force", "pretty", "limit", "continue", "resourceVersion", "resourceVersionMatch"),
    *("labelSelector", "fieldSelector", "timeoutSeconds", "gracePeriodSeconds", "propagationPolicy", "orphanDependents", "includeObject"),
)
OPTION_VALUES = (
    *(
        "",
        "0",
        "1",
        "-1",
        "true",
        "All",
        "Exact",
        "NotOlderThan",
        "Strict",
        "Background",
        "9" * 30,
        "0" * 5_000,
        "²",
        "\x00",
        "é",
        "a=b",
        "!a",
    ),
    *("a in (b,c),", "a in (", "metadata.name=f1", "metadata.name!=f1," * 30, "spec.nodeName=", "a>b", "x\\", "l!=a," * 50 + "b"),
)
ACCEPTED = ("application/json", "application/yaml", "*/*;q=0", "application/json;as=Table;v=v1;g=meta.k8s.io", "text/x;;q", "")
HEADS = (
    b"GET /api/v1/namespaces HTTP/1.1\r\nHost: x\r\nConnection: close",
    b"HEAD /version HTTP/1.1\r\nHost: x\r\nAccept-Encoding: gzip\r\nConnection: close",
    b"OPTIONS * HTTP/1.1\r\nHost: x\r\nConnection: close",
    b"GET http://x/apis?a=b HTTP/1.0\r\nExpect: 100-continue",
    b"GET /api HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nSec-WebSocket-Key: a\r\nConnection: close, Upgrade",
)
BYTES = b"\x00\x01\t\n\r :;,/%?#&=\"'{}[]\x7f\x80\xff09azAZ"

Shot = Callable[[], Answer]


class Fuzzer:
    """What to ask next."""

    def __init__(self, wire: Wire, seed: int) -> None:
        self.wire = wire
        self.chance = Chance(seed)
        self.told = ""
        """The last request, for who has to find out."""
        namespace = wire.namespace()
        self._kinds = [Served(wire, kind, namespace) for kind in KINDS if _is_sampled(kind)]

    def shoot(self) -> Answer:
        sorts: tuple[Shot, ...] = (self._object, self._object, self._patch, self._patch, self._options, self._yaml, self._packed, self._raw)
        return self.chance.choice(sorts)()

    def _object(self) -> Answer:
        kind = self.chance.choice(self._kinds)
        name = self.chance.choice(NAMES)
        body = json.dumps(self._bent(self._sample(kind, name))).encode()
        if self.chance.integer(0, 1):
            return self._ask("POST", kind.path, self._cut(body), "application/json")
        return self._ask("PUT", f"{kind.path}/{name}", self._cut(body), "application/json")

    def _patch(self) -> Answer:
        kind, name = self.chance.choice(self._kinds), self.chance.choice(NAMES)
        media = self.chance.choice((MERGE, STRATEGIC, APPLY, JSON_PATCH))
        patch: Json = self._bent(self._sample(kind, name))
        if media == JSON_PATCH:
            patch = [self._operation(patch) for _ in range(self.chance.integer(1, 4))]
        query = {"fieldManager": "fuzz", "force": self.chance.choice(("true", "false"))} if media == APPLY else {}
        return self._ask("PATCH", f"{kind.path}/{name}", self._cut(json.dumps(patch).encode()), media, **query)

    def _operation(self, obj: Object) -> Json:
        path, other = (self._pointer(obj) for _ in range(2))
        operation: Json = {"op": self.chance.choice(("add", "remove", "replace", "move", "copy", "test"))}
        operation.update({"path": path, "from": other, "value": self.chance.choice(ODD)})
        return self._bent(operation) if self.chance.integer(0, 3) == 0 else operation

    def _pointer(self, obj: Object) -> str:
        path = "/".join(str(part).replace("~", "~0").replace("/", "~1") for part in self.chance.choice(places(obj)))
        return f"/{path}" + self.chance.choice(("", "", "/-", "/0", "/01", "/~", "/a/b"))

    def _options(self) -> Answer:
        kind = self.chance.choice(self._kinds)
        method, whole = self.chance.choice((("GET", True), ("GET", False), ("DELETE", False), ("POST", True), ("HEAD", True)))
        path = (
            kind.path if whole else f"{kind.path}/{self.chance.choice(NAMES)}{self.chance.choice(('', '', '/status', '/scale', '/nope'))}"
        )
        query = {self.chance.choice(OPTIONS): self.chance.choice(OPTION_VALUES) for _ in range(self.chance.integer(1, 3))}
        body = json.dumps(self._bent({"kind": "DeleteOptions", "preconditions": {"uid": "a"}, "dryRun": ["All"]})).encode()
        return self._ask(method, path, body if method in ("DELETE", "POST") else None, "application/json", **query)

    def _yaml(self) -> Answer:
        kind, name = self.chance.choice(self._kinds), self.chance.choice(NAMES)
        text = encode_yaml(self._sample(kind, name))
        odd = self.chance.choice(
            ("&a [*a]", "&a {<<: *a}", "!!binary x", "? [a]", "- -", "|", "<<: 1", "\t", "!!int x", ".nan", "'", "%YAML 9", "---")
        )
        lines = text.decode().splitlines()
        lines.insert(self.chance.integer(0, len(lines)), self.chance.choice(("", "  ", "a: ")) + odd)
        return self._ask("POST", kind.path, self._cut("\n".join(lines).encode()), "application/yaml")

    def _packed(self) -> Answer:
        """Protobuf: what the server itself says of an object, bent byte by byte."""
        media = self.wire.dialect.protobuf_media_type
        kind, name = self.chance.choice(self._kinds), self.chance.choice(NAMES)
        obj = self._sample(kind, name)
        self.wire.ask("POST", kind.path, obj)
        known = self.wire.ask("GET", f"{kind.path}/{name}", headers={"Accept": media})
        return self._ask("PUT", f"{kind.path}/{name}", self._scrambled(known.body), media)

    def _raw(self) -> Answer:
        head = self._scrambled(self.chance.choice(HEADS)) + b"\r\n\r\n"
        self.told = repr(head)
        with (
            socket.create_connection(("127.0.0.1", self.wire.server.port), WAIT_S) as plain,
            self.wire.tls.wrap_socket(plain, server_hostname="127.0.0.1") as sent,
        ):
            sent.sendall(head)
            response = http.client.HTTPResponse(sent, method="HEAD" if head.startswith(b"HEAD") else "GET")
            response.begin()
            return Answer(response.status, {}, b"")

    def _ask(self, method: str, path: str, body: bytes | None, media: str, **query: Json) -> Answer:
        if self.chance.integer(0, 2):
            query.setdefault("dryRun", "All")
        headers = {"Accept": self.chance.choice(ACCEPTED) if self.chance.integer(0, 7) == 0 else "application/json"}
        path = quote(path, safe="/", errors="surrogatepass")
        self.told = f"{method} {path} {query} {headers} {media} {body!r}"
        return self.wire.ask(method, path, body, content_type=media, headers=headers, **query)

    def _sample(self, kind: Served, name: str) -> Object:
        labels = {"labels": {"a": "b"}, "annotations": {"c": "d"}, "finalizers": [], "ownerReferences": []}
        return {**kind.obj(name=name, **labels)}

    def _bent(self, obj: Object) -> Object:
        bent = copy.deepcopy(obj)
        for _ in range(self.chance.integer(0, 2)):
            found = places(bent)
            if found:
                bent = altered(bent, self.chance.choice(found), self.chance.choice(ODD))
        return bent

    def _cut(self, body: bytes) -> bytes:
        return self._scrambled(body) if self.chance.integer(0, 9) == 0 else body

    def _scrambled(self, data: bytes) -> bytes:
        """A few bytes changed, taken away, repeated or put in."""
        bent = bytearray(data)
        for _ in range(self.chance.integer(1, 4)):
            at = self.chance.integer(0, max(len(bent) - 1, 0))
            what = self.chance.integer(0, 3)
            bent[at : at + (what != 1)] = bytes([self.chance.choice(BYTES)]) if what < 2 else bent[at : at + 8] * 2 if what == 2 else b""
        return bytes(bent)


def _is_sampled(kind: Kind) -> bool:
    return sample(kind.name, kind.group.base) is not None and kind.name != "Namespace"


def is_good(answer: Answer) -> bool:
    """Whether a server may answer so. 505 is a version of HTTP that it doesn't speak."""
    return answer.status < 500 or answer.status == 505


def main(count: int, seed: int) -> str:
    """Ask so many times."""
    answers: Counter[int] = Counter()
    with tempfile.TemporaryDirectory() as home, served(Path(home), "kubernetes", "--nodes", "1", "--durability", "process") as server:
        wire = Wire(server)
        fuzzer = Fuzzer(wire, seed)
        for number in strikes(count):
            try:
                answer = fuzzer.shoot()
            except (OSError, http.client.HTTPException) as error:
                raise AssertionError(f"request {number} of seed {seed} got no answer ({error!r}): {fuzzer.told}") from error
            assert is_good(answer), f"request {number} of seed {seed}: {fuzzer.told}: {answer.body!r}"
            answers[answer.status] += 1
        assert wire.ask("GET", "/readyz").status == 200
        assert wire.complaints() == []
        wire.close()
    told = ", ".join(f"{status}: {times}" for status, times in sorted(answers.items()))
    return f"requests {count}, all answered, none with a failure of the server ({told})"
