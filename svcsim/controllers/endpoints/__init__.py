"""Endpoints: for every service that selects pods, the addresses and ports at which they serve, in both forms the API has for them."""
