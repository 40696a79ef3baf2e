"""An identity provider of a test's own: over TLS, in a thread, with keys made on the spot."""

import base64
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs

import jwt
from cryptography.hazmat.primitives.asymmetric import ec, rsa

from svcsim.meta.types import Object
from svcsim.wall import wall_time
from tests.outbound.tls import Authority

RSA = rsa.generate_private_key(65537, 2048)
CURVES = {"ES256": ec.SECP256R1(), "ES384": ec.SECP384R1(), "ES512": ec.SECP521R1()}
KEYS = {"rsa": RSA, **{name: ec.generate_private_key(curve) for name, curve in CURVES.items()}}
CLIENT = "svcsim"


class Provider:
    """What is served, and what was asked."""

    def __init__(self, url: str, ca: Path) -> None:
        self.url, self.ca = url, ca
        self.issuer = url
        self.published = {name: KEYS[name] for name in KEYS}
        self.asked: list[str] = []
        self.failing = False
        self.sessions: dict[str, str] = {}
        """Whose refresh tokens are good; each is good once."""

    def sign_in(self, user: str) -> str:
        """A refresh token for a user who has signed in."""
        token = f"refresh-{len(self.asked)}-{user}"
        self.sessions[token] = user
        return token

    def refresh(self, form: dict[str, list[str]]) -> Object | None:
        """New tokens for a refresh token (RFC 6749, section 6); None where it is none."""
        self.asked.append("/token")
        user = self.sessions.pop(form["refresh_token"][0], "")
        if not user or form["grant_type"] != ["refresh_token"] or form["client_id"] != [CLIENT]:
            return None
        return {
            "token_type": "Bearer",
            "id_token": self.token(sub=user),
            "refresh_token": self.sign_in(user),
        }

    def answer(self, path: str) -> Object | None:
        self.asked.append(path)
        if self.failing:
            return None
        if path == "/.well-known/openid-configuration":
            return {"issuer": self.issuer, "jwks_uri": f"{self.url}/keys", "token_endpoint": f"{self.url}/token"}
        return {"keys": [{"kty": "oct", "k": "AAAA", "kid": "oct"}, *(jwk(kid, key) for kid, key in self.published.items())]}

    def token(self, kid: str = "rsa", algorithm: str = "RS256", key: object = None, header: Object | None = None, **claims: object) -> str:
        """One of the provider's, with claims changed; None leaves one out."""
        now = int(wall_time())
        said = {"iss": self.url, "aud": CLIENT, "sub": "jane", "iat": now, "exp": now + 600, **claims}
        said = {name: value for name, value in said.items() if value is not None}
        return jwt.PyJWS().encode(json.dumps(said).encode(), key or KEYS[kid], algorithm, {"kid": kid, **(header or {})})


def jwk(kid: str, key: rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey) -> Object:
    kind = jwt.algorithms.RSAAlgorithm if isinstance(key, rsa.RSAPrivateKey) else jwt.algorithms.ECAlgorithm
    return {**json.loads(kind.to_jwk(key.public_key())), "kid": kid, "use": "sig"}


def raw(header: object, claims: object, signature: bytes = b"x") -> str:
    """A token of any parts."""
    parts = (json.dumps(header).encode(), json.dumps(claims).encode(), signature)
    return ".".join(base64.urlsafe_b64encode(part).rstrip(b"=").decode() for part in parts)


@contextmanager
def providing(directory: Path) -> Iterator[Provider]:
    authority = Authority()
    ca = directory / "provider-ca.crt"
    ca.write_bytes(authority.pem)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            found = provider.answer(self.path)
            self.reply(500 if found is None else 200, found)

        def do_POST(self) -> None:
            found = provider.refresh(parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode()))
            self.reply(400 if found is None else 200, found or {"error": "invalid_grant"})

        def reply(self, status: int, found: Object | None) -> None:
            body = json.dumps(found).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *words: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    context = authority.server_context(directory, "localhost", "127.0.0.1")
    server.socket = context.wrap_socket(server.socket, server_side=True)
    provider = Provider(f"https://127.0.0.1:{server.server_port}", ca)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield provider
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
