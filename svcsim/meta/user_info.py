"""A user as objects of the API name one."""

from svcsim.meta.types import Object, User


def user_info(user: User) -> Object:
    """A ``UserInfo``; what isn't known of the user isn't in it."""
    found: Object = {"username": user.name}
    if user.uid:
        found["uid"] = user.uid
    if user.groups:
        found["groups"] = list(user.groups)
    if user.extra:
        found["extra"] = {key: list(values) for key, values in user.extra.items()}
    return found
