"""The HTTP face of the cluster: filters, negotiation, verbs, watch streams, discovery."""
