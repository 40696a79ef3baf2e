"""Where what is shown comes from: watches, the cluster's clock, logs. Nothing here draws."""
