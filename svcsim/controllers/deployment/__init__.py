"""Deployments: from one revision of an application to the next without standing still, and back."""
