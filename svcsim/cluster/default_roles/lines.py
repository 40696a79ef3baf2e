"""How the default roles are written down: a rule is a line of words.

``("get list", "apps batch.", "deployments jobs", "a b")`` allows the verbs on the resources of the groups, of the names if there are any.
``core`` is the group without a name; a group that ends in a dot has the dialect's suffix. ``("get", "/healthz /livez")`` allows verbs on
paths.
"""

from typing import TypeAlias

from svcsim.dialect import Dialect
from svcsim.meta.types import Object

Line: TypeAlias = tuple[str, str] | tuple[str, str, str] | tuple[str, str, str, str]

READ = "get list watch"
FOLLOW = "list watch"
CHANGE = "create delete deletecollection patch update"
NOTE = "create patch update"
EVENTS: Line = (NOTE, "core events.", "events")
"""What everybody needs who tells what they do."""


def rule(line: Line, dialect: Dialect) -> Object:
    """The PolicyRule that a line says."""
    if len(line) == 2:
        return {"verbs": line[0].split(), "nonResourceURLs": line[1].split()}
    groups = [_group(word, dialect) for word in line[1].split()]
    found: Object = {"verbs": line[0].split(), "apiGroups": groups, "resources": line[2].split()}
    if len(line) == 4:
        found["resourceNames"] = line[3].split()
    return found


def _group(word: str, dialect: Dialect) -> str:
    if word == "core":
        return ""
    return dialect.group(word[:-1]) if word.endswith(".") else word
