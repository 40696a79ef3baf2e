"""The ``auth`` command: a family of commands about access."""

from svcsim.cli.shared.command import Command
from svcsim.cli.verbs.auth.can_i import CAN_I
from svcsim.cli.verbs.auth.reconcile import RECONCILE
from svcsim.cli.verbs.auth.whoami import WHOAMI

AUTH = Command("auth", "auth COMMAND [flags]", "Inspect authorization.", subcommands=(CAN_I, RECONCILE, WHOAMI))
