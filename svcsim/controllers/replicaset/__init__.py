"""ReplicaSets: as many pods of one template as are asked for, always."""
