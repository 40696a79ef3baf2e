"""What stands behind the ``proxy`` paths: ports of pods, one of the pods of a service, the agent of a node."""
