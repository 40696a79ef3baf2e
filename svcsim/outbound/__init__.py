"""The way out: how this process calls servers of others, be they webhooks, converters or whole API servers behind this one.

A `Remote` says who is meant and how to be sure of it, `Outbound` makes the calls. Nothing else in the cluster opens a connection to
somebody the configuration named.
"""
