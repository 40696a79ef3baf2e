"""What nodes may: their own objects, and what the pods on them need."""
