"""Who is asking and whether they may: authenticators, authorizers, certificates."""
