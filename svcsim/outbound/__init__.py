"""Calls to other servers: webhooks, converters and aggregated API servers.

A `Remote` names a server and how to verify it, `Outbound` makes the calls. Nothing else in the cluster opens a connection to a server that
its configuration names.
"""
