"""Jobs: pods that run until enough of them have succeeded, each counted exactly once."""
