"""Storage that the cluster brings along: a driver whose disks are made, attached, grown and deleted. Nodes know what is on them."""
