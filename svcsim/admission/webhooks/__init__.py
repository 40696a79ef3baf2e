"""Webhooks: programs outside of this process that are asked about requests, and may change and refuse them."""
