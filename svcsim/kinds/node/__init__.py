"""What nodes offer to pods: runtimes."""
