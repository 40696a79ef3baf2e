"""The rbac.authorization group: what may be done, and by whom."""
