"""What ``curl`` asks for, and of whom, by its options."""

from base64 import b64encode

import pytest

from svcsim.meta.http import Request, Response
from svcsim.nodes.shell.network import NoNetwork
from tests.nodes.shell.container import Container


class OneServer(NoNetwork):
    """Answers at every address: leads from `/old` to `/new`, from `/round` to itself, and says what it was asked elsewhere."""

    def __init__(self) -> None:
        self.busy = 2
        """How often it has too much to do."""

    async def ask(self, address: str, port: int, request: Request) -> Response:
        match request.path:
            case "/old":
                return Response(302, headers={"Location": "new"}, content_type="text/plain")
            case "/keeps":
                return Response(307, headers={"Location": f"http://127.0.0.2:{port}/new"}, content_type="text/plain")
            case "/round":
                return Response(301, headers={"Location": "/round"}, content_type="text/plain")
            case "/busy" if self.busy:
                self.busy -= 1
                return Response(503, body=b"busy", content_type="text/plain")
        shown = [request.headers.get(name, "-") for name in ("authorization", "cookie", "referer")]
        said = f"{request.method} {address} {request.path} {' '.join(shown)} {request.body.decode()}"
        return Response(200, body=f"{said.rstrip()}\n".encode(), content_type="text/plain")


TOLD = f"Basic {b64encode(b'me:secret').decode()}"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ("-u me:secret 127.0.0.1/x", f"GET 127.0.0.1 /x {TOLD} - -\n"),
        ("--user me:secret -L 127.0.0.1/keeps -d a", "POST 127.0.0.2 /new - - - a\n"),
        ("-b a=1 --cookie b=2 -e http://there 127.0.0.1/x", "GET 127.0.0.1 /x - a=1; b=2 http://there\n"),
        ("127.0.0.1/old -o /dev/null -w '%{http_code} %{num_redirects}\\n'", "302 0\n"),
        ("-L 127.0.0.1/old", "GET 127.0.0.1 /new - - -\n"),
        ("-L -d a 127.0.0.1/old", "GET 127.0.0.1 /new - - -\n"),
        ("-LI 127.0.0.1:81/old | grep HTTP | tr -d '\\r'", "HTTP/1.1 302 Found\nHTTP/1.1 200 OK\n"),
        ("-L 127.0.0.1:81/old -o /dev/null -w '%{url_effective} %{num_redirects} %{size_download}'", "http://127.0.0.1:81/new 1 25"),
        ("--create-dirs -o a/b/c 127.0.0.1/x; cat a/b/c", "GET 127.0.0.1 /x - - -\n"),
        ("--retry 3 --retry-delay 1 127.0.0.1/busy", "GET 127.0.0.1 /busy - - -\n"),
        ("--retry 3 --retry-delay 1 --retry-max-time 1 127.0.0.1/busy", "busy"),
        ("--url 127.0.0.1/x", "GET 127.0.0.1 /x - - -\n"),
    ],
)
@pytest.mark.virtual_time
async def test_what_is_asked(arguments: str, says: str):
    code, out, err = await Container(network=OneServer()).sh(f"cd /tmp; curl -s {arguments}")
    assert (out, code, err) == (says, 0, "")


@pytest.mark.parametrize(
    ("arguments", "code", "complains"),
    [
        ("-L --max-redirs 3 127.0.0.1/round", 47, "curl: (47) Maximum (3) redirects followed\n"),
        ("-x proxy:3128 127.0.0.1", 1, "curl: proxies aren't simulated here\n"),
        ("-c jar 127.0.0.1", 1, "curl: cookie jars aren't simulated here\n"),
        ("-b jar 127.0.0.1", 1, "curl: files of cookies aren't simulated here\n"),
        ("'127.0.0.1/{a,b}'", 1, "curl: several addresses in one aren't simulated here\n"),
        ("--nothing 127.0.0.1", 1, "curl: unrecognized option '--nothing'\n"),
        ("-u", 1, "curl: option requires an argument -- 'u'\n"),
    ],
)
async def test_what_is_refused(arguments: str, code: int, complains: str):
    assert await Container(network=OneServer()).sh(f"curl -sS {arguments}") == (code, "", complains)
