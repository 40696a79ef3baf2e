"""DaemonSets: one pod of a template on each node that should have one."""
