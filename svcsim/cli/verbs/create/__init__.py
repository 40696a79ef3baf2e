"""``create`` and its like: objects made from flags, spelled just as kubectl spells them."""
