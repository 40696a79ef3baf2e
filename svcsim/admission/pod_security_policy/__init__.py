"""PodSecurityPolicy: pods are let in by a policy that whoever makes them may use. Deprecated, and off by default."""
