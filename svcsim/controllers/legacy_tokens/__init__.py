"""Tokens of service accounts that stand in Secrets and don't expire: since when their use is noted, and which of them go by that."""
