"""The users and groups that service accounts are."""

_PREFIX = "system:serviceaccount:"
ALL_ACCOUNTS = "system:serviceaccounts"


def user_of_account(namespace: str, name: str) -> str:
    """The user name of an account."""
    return f"{_PREFIX}{namespace}:{name}"


def groups_of_account(namespace: str) -> tuple[str, str]:
    """The groups that every account of a namespace is in."""
    return (ALL_ACCOUNTS, f"{ALL_ACCOUNTS}:{namespace}")
