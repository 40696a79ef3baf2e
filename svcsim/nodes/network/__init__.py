"""The network of a cluster as its pods see it: the names that its DNS tells, and who answers at the addresses that they stand for."""
