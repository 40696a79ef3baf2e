"""The users and groups that service accounts are."""

from svcsim.meta.names import dns_label, dns_subdomain

_PREFIX = "system:serviceaccount:"
ALL_ACCOUNTS = "system:serviceaccounts"


def user_of_account(namespace: str, name: str) -> str:
    """The user name of an account."""
    return f"{_PREFIX}{namespace}:{name}"


def groups_of_account(namespace: str) -> tuple[str, str]:
    """The groups that every account of a namespace is in."""
    return (ALL_ACCOUNTS, f"{ALL_ACCOUNTS}:{namespace}")


def account_of_user(user: str) -> tuple[str, str] | None:
    """The namespace and the name of the account that a user name is of; None for any other user."""
    namespace, colon, name = user.removeprefix(_PREFIX).partition(":")
    if not user.startswith(_PREFIX) or not colon or dns_label(namespace) or dns_subdomain(name):
        return None
    return namespace, name
