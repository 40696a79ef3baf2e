"""Taking nodes out of service and back: ``cordon``, ``uncordon`` and ``drain``."""
