"""What containers have said: log lines, logs that are followed, and termination messages."""
