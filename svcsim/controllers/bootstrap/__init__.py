"""What becomes of bootstrap tokens: what they sign, and their end."""
