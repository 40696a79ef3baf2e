"""What images there are: which can be pulled, whom their processes run as, and what of a base image is in them."""
