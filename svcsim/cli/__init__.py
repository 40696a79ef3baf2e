"""The command line: svcsim's own commands, kubectl's verbs, what they share, and the printing of what they find."""
