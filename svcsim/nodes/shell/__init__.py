"""What a container would do with a command, pretended: a small shell, a few well-known programs, and files in memory."""
