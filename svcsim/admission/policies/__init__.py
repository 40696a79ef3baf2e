"""Admission policies: what is refused, said in CEL, and kept in objects of the cluster."""
