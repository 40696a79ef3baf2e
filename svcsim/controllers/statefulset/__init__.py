"""StatefulSets: pods with identities, each with a name and storage of its own."""
