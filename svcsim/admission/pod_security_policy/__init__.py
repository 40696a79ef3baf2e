"""PodSecurityPolicy: pods are let in by a policy that whoever makes them may use. Deprecated, and off by default (spec 2.11)."""
