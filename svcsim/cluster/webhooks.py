"""The servers that decide with a cluster who is asking, and whether they may: made of what it was told of them."""

from typing import TYPE_CHECKING

from svcsim.cluster.surroundings import Surroundings
from svcsim.meta.configuration_error import ConfigurationError

if TYPE_CHECKING:
    from svcsim.auth.webhook.access_webhook import AccessWebhook
    from svcsim.auth.webhook.token_webhook import TokenWebhook

TOKEN_FILE = "--authentication-token-webhook-config-file"
AUTHORIZATION_FILE = "--authorization-webhook-config-file"
_GROUPS_FIELDS = {"v1": "groups", "v1beta1": "group"}


def token_webhooks(given: Surroundings, audiences: tuple[str, ...]) -> "tuple[TokenWebhook, ...]":
    """The one that knows tokens, if there is one. Raises `ConfigurationError`."""
    spec = given.spec.webhooks
    if spec.token_config_file is None:
        return ()
    from svcsim.auth.webhook.reviewer import Reviewer
    from svcsim.auth.webhook.token_webhook import TokenWebhook
    from svcsim.outbound.client_configuration import remote_in_file

    remote = remote_in_file(TOKEN_FILE, spec.token_config_file, "token-webhook")
    reviewer = Reviewer(given.outbound, remote, f"{given.dialect.group('authentication')}/{spec.token_version}", "TokenReview")
    return (TokenWebhook(reviewer, given.clock, audiences, spec.token_cache_ttl_s),)


def check_wanted(given: Surroundings) -> None:
    """Raises `ConfigurationError` where a server is named that would never be asked."""
    if given.spec.webhooks.authorization_config_file is not None and "Webhook" not in given.spec.authorization.modes:
        raise ConfigurationError(f"{AUTHORIZATION_FILE} is of no use without Webhook among the modes of --authorization-mode")


def access_webhook(given: Surroundings) -> "AccessWebhook":
    """The one that decides about requests. Raises `ConfigurationError`, also where nothing says which it is."""
    spec = given.spec.webhooks
    if spec.authorization_config_file is None:
        raise ConfigurationError(f"--authorization-mode: Webhook needs {AUTHORIZATION_FILE}, which says what server to ask")
    from svcsim.auth.webhook.access_webhook import AccessWebhook
    from svcsim.auth.webhook.reviewer import Reviewer
    from svcsim.outbound.client_configuration import remote_in_file

    remote = remote_in_file(AUTHORIZATION_FILE, spec.authorization_config_file, "authorization-webhook")
    version = spec.authorization_version
    reviewer = Reviewer(given.outbound, remote, f"{given.dialect.group('authorization')}/{version}", "SubjectAccessReview")
    return AccessWebhook(reviewer, given.clock, _GROUPS_FIELDS[version], spec.authorized_ttl_s, spec.unauthorized_ttl_s)
