"""svcsim: a whole cluster control plane in one Python process."""
