"""What tokens of service accounts, and those who go by them, call things in a dialect."""

from svcsim.dialect import Dialect


class AccountWords:
    """The names of one dialect, put together once."""

    def __init__(self, dialect: Dialect) -> None:
        self.claim = dialect.domain
        """The claim that everything stands in that is no standard claim."""
        self.legacy_issuer = f"{dialect.default_service}/serviceaccount"
        """Who issues the tokens that stand in Secrets."""
        self.legacy_namespace = dialect.key("serviceaccount/namespace")
        self.legacy_secret = dialect.key("serviceaccount/secret.name")
        self.legacy_account = dialect.key("serviceaccount/service-account.name")
        self.legacy_uid = dialect.key("serviceaccount/service-account.uid")
        self.credential_id = dialect.key("credential-id", "authentication")
        self.pod_name = dialect.key("pod-name", "authentication")
        self.pod_uid = dialect.key("pod-uid", "authentication")
        self.node_name = dialect.key("node-name", "authentication")
        self.node_uid = dialect.key("node-uid", "authentication")
        self.last_used = dialect.key("legacy-token-last-used")
        self.invalid_since = dialect.key("legacy-token-invalid-since")
        audit = dialect.group("authentication")
        self.audit_legacy = f"{audit}/legacy-token"
        self.audit_stale = f"{audit}/stale-token"
