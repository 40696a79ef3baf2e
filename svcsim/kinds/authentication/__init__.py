"""The authentication group: who somebody is, and tokens by which they show it."""
