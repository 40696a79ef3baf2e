"""UserInfo: a user as reviews tell of one."""

from svcsim.kinds.shared.types import STRINGS
from svcsim.schema.types import Field, List, Map, Str, Struct

USER_INFO = Struct(
    "UserInfo",
    Field(1, "username", Str(), "Name by which the user is known"),
    Field(2, "uid", Str(), "Identifier of the user for all time, where there is one"),
    Field(3, "groups", STRINGS, "Groups the user is in"),
    Field(4, "extra", Map(List(Str())), "What else the authenticator knows of the user"),
    doc="A user, as far as is known",
)
