"""What both kinds of binding consist of: the role they are about, and who is given it."""

from svcsim.schema.types import Field, List, Str, Struct

_SUBJECT = Struct(
    "Subject",
    Field(1, "kind", Str(), "User, Group or ServiceAccount", required=True, default=""),
    Field(2, "apiGroup", Str(), "API group of the subject: empty for a ServiceAccount, that of this kind for users and groups"),
    Field(3, "name", Str(), "Name of the user, the group or the ServiceAccount", required=True, default=""),
    Field(4, "namespace", Str(), "Namespace of a ServiceAccount; users and groups have none"),
    atomic=True,
    doc="Somebody who is given what a role allows",
)
SUBJECTS = Field(2, "subjects", List(_SUBJECT, list_type="atomic"), "Who is given what the role allows")
_ROLE_REF = Struct(
    "RoleRef",
    Field(1, "apiGroup", Str(), "API group of the role"),
    Field(2, "kind", Str(), "Role or ClusterRole", required=True, default=""),
    Field(3, "name", Str(), "Name of the role", required=True, default=""),
    atomic=True,
    doc="The role that a binding is about",
)
ROLE_REF = Field(3, "roleRef", _ROLE_REF, "The role whose rules are given; can't be changed", required=True, default={})
