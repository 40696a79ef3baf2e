"""The networking group: who may reach what, from outside and inside the cluster, and the addresses of Services."""
