"""Whatever comes as a token or in headers that say who asks: no failure of the server, and nobody is taken for somebody else."""

import json
import random  # noqa: TID251 - of a seed
from pathlib import Path

from svcsim.meta.types import Object
from tests.auth.oidc.provider import raw
from tests.wire.test_identities import Site, client, site, who
from tests.wire.test_impersonation import ask

__all__ = ["site"]

ODD = (
    *(
        b"",
        b" ",
        b"\t",
        b"a\tb",
        b"\xff\xfe",
        b"\xc3\xa9",
        b"\xed\xa0\x80",
        b"system:masters",
        b"system:anonymous",
        b"x" * 10_000,
        b"%",
        b"%ff",
    ),
    *(
        b"%00",
        b"a,b",
        b'"',
        b"\\",
        b"\xe2\x80\xae",
        b"system:serviceaccount:a:b",
        b"system:serviceaccount:",
        b"*",
        b"../..",
        b"{}",
        b"null",
    ),
)
NAMES = ("Impersonate-User", "Impersonate-Group", "Impersonate-Uid", "X-Remote-User", "X-First-User", "X-Remote-Group", "X-Remote-Uid")
PREFIXES = ("Impersonate-Extra-", "X-Remote-Extra-")
KEYS = ("a", "%", "%ff", "%00", "a%2Fb", "A.b", "%c3%a9", "x" * 300, "%2")
ROUNDS = 100


def headers(chance: random.Random) -> tuple[tuple[str, bytes], ...]:
    """A few, odd ones among them."""
    found = []
    for _ in range(chance.randrange(1, 6)):
        name = chance.choice(NAMES) if chance.random() < 0.7 else chance.choice(PREFIXES) + chance.choice(KEYS)
        found.append((name, chance.choice(ODD)))
    return tuple(found)


def test_headers_of_any_sort_make_nobody_an_administrator(site: Site, tmp_path: Path):
    chance = random.Random(9)
    stranger = client(site, site.proxies, tmp_path, "stranger")
    (tmp_path / "user").mkdir()
    user = client(site, site.users, tmp_path / "user", "jane")
    for _ in range(ROUNDS):
        sent = headers(chance)
        assert ask(site.wire, "GET", "/api/v1/nodes", sent, tls=stranger).status == 401, sent
        for answer in (
            ask(site.wire, "GET", "/api/v1/nodes", sent, tls=user),
            ask(site.wire, "GET", "/api/v1/nodes", sent, token="nobodys"),
        ):
            assert answer.status in (400, 403), sent
            assert answer.status == 400 or ' User "jane" ' in answer.message or ' User "joe" ' in answer.message, (sent, answer.message)
            assert all(letter.isprintable() for letter in answer.message)


def test_a_proxy_and_an_administrator_may_say_anything_and_it_is_what_is_understood(site: Site, tmp_path: Path):
    chance = random.Random(10)
    (tmp_path / "front").mkdir()
    front = client(site, site.proxies, tmp_path / "front", "front")
    for _ in range(ROUNDS):
        sent = headers(chance)
        as_masters = (*sent, ("Impersonate-Group", b"system:masters"))
        for answer in (who(site, *as_masters), who(site, *sent, tls=front)):
            assert answer.status in (201, 400, 401, 403), (sent, answer.body)
            if answer.status == 201:
                assert told_only(answer.json["status"]["userInfo"], sent), sent


def told_only(user: Object, sent: tuple[tuple[str, bytes], ...]) -> bool:
    """Whether all that is told of a user was said by one of the headers."""
    said = {value.decode("utf-8", "replace").strip() for _, value in sent} | {
        "system:masters",
        "system:authenticated",
        "system:unauthenticated",
    }
    names = {"kubernetes-admin", "svcsim-admin"} | said
    accounts = {f"system:serviceaccounts{rest}" for rest in ("", ":a")}
    return user["username"] in names and set(user.get("groups", ())) <= said | accounts and user.get("uid", "") in said | {""}


def test_tokens_of_any_sort_are_nobodys(site: Site):
    chance = random.Random(11)
    parts = ({}, [], None, 7, "x", {"alg": "none"}, {"alg": "HS256"}, {"iss": "x", "sub": "root"}, {"iss": None}, {"alg": {"a": []}})
    tokens = [raw(chance.choice(parts), chance.choice(parts), chance.randbytes(chance.randrange(70))) for _ in range(ROUNDS)]
    tokens += ["." * count for count in range(1, 5)] + ["a.b.c", "janes-token.", "Bearer janes-token", "x" * 60_000, "[" * 9_000, "\u00e9"]
    tokens += [json.dumps({"token": "janes-token"}), "e30.e30.", "e30.e30.e30", f"{'W' * 8000}.{'W' * 8000}.AA", "abcdef.0123456789abcdef"]
    for token in tokens:
        answer = ask(site.wire, "GET", "/version", (), token=token) if token.isascii() else who(site, token="x")
        assert answer.status == 401, token
