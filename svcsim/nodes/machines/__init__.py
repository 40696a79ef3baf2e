"""The machines that nodes stand for: their Nodes, heartbeats, addresses, room for pods and faults."""
