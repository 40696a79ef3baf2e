"""What clients reach in running containers: commands (`exec`), their first process (`attach`), ports (`port-forward`)."""
