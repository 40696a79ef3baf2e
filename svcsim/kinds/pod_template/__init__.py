"""The pod template: what a Pod is made of, shared by the Pod itself and by every kind that makes pods."""
