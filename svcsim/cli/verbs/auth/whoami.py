"""``auth whoami``: whom the server takes one for."""

from http import HTTPStatus

from svcsim.cli.failure import CommandError
from svcsim.cli.output.printers import print_columns
from svcsim.cli.shared.command import Call, Command
from svcsim.cli.shared.reporting import PRINT_FLAGS, object_printer, output_format
from svcsim.meta.errors import StatusError
from svcsim.meta.types import Object

_MISSING = "the selfsubjectreviews API is not enabled in the cluster"
_REFUSED: dict[int, str] = {
    HTTPStatus.NOT_FOUND: _MISSING,
    HTTPStatus.FORBIDDEN: f"{_MISSING} or you do not have permission to call it",
}


def run(call: Call) -> None:
    """Ask, and print it."""
    session = call.session
    try:
        group = session.dialect.group("authentication")  # which may take asking, too
        review: Object = {"kind": "SelfSubjectReview", "apiVersion": f"{group}/v1", "metadata": {"creationTimestamp": None}, "status": {}}
        answer = session.write("POST", f"/apis/{group}/v1/selfsubjectreviews", review)
    except StatusError as error:
        if error.code not in _REFUSED:
            raise
        raise CommandError(_REFUSED[error.code]) from error
    if output_format(call):
        answer["metadata"] = answer.get("metadata") or {"creationTimestamp": None}
        object_printer(call, typed=True).print(answer, session.out)
        return
    print_columns(["ATTRIBUTE", "VALUE"], _rows(answer["status"]["userInfo"]), session.out)


def _rows(user: Object) -> list[list[str]]:
    rows = [["Username", user.get("username", "")]]
    if user.get("uid"):
        rows.append(["UID", user["uid"]])
    if user.get("groups"):
        rows.append(["Groups", _listed(user["groups"])])
    return [*rows, *([f"Extra: {key}", _listed(values)] for key, values in sorted((user.get("extra") or {}).items()))]


def _listed(values: list[str]) -> str:
    return f"[{' '.join(values)}]"


WHOAMI = Command("whoami", "whoami [flags]", "Show whom the server takes you for: your user name and groups.", PRINT_FLAGS, run)
