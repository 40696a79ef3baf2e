"""The words for webhooks that fail on purpose, and for answers in their place, as scenarios and the cluster spell them."""

WEBHOOK_FAIL = "webhook-fail"
WEBHOOK_ANSWER = "webhook-answer"
WEBHOOK_FAULTS = (WEBHOOK_FAIL, WEBHOOK_ANSWER)
SLOW = "slow"
FAILURES = ("timeout", SLOW, "error", "deny", "wrong-uid", "no-json", "bad-patch", "refused")
"""How webhooks fail."""
ANSWERS = ("allow", "deny", "patch")
