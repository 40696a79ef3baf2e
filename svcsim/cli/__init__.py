"""The command line: one file per family of commands, and the printing of what they answer."""
