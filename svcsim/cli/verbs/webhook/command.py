"""The ``webhook`` command: a family of commands about admission webhooks."""

from svcsim.cli.shared.command import Command
from svcsim.cli.verbs.webhook.serve import WEBHOOK_SERVE

WEBHOOK = Command("webhook", "webhook COMMAND [flags]", "Work on admission webhooks.", subcommands=(WEBHOOK_SERVE,))
