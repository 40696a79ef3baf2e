"""The core group: what every cluster is made of."""
