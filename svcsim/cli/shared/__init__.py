"""What commands share: the way to a cluster, the objects that are meant, how they are read, followed and written."""
