"""How everything talks to an API server: transports, kubeconfig, caches, work queues."""
