"""Disruption budgets: how many pods of a set are healthy, how many have to be, and so how many may be evicted."""
