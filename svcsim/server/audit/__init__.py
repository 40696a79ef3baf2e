"""Who did what: audit events by a policy, to a log and a webhook, and the last requests for ``svcsim audit``."""
