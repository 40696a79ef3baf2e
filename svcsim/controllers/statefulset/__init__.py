"""StatefulSets: pods that are told apart, each with a name and with storage of its own."""
