"""How the API server reaches into containers: for logs, exec, attach and port-forward."""
