"""Devices in scheduling: which of them a pod's claims could have on a node, and having them given to the claims before the pod is bound."""
