"""The resource claim controller: makes pods' claims on devices, and frees the devices of those that nobody uses any more."""
