"""The HTTP face: filters, negotiation, one file per family of verbs, watch streams, discovery."""
