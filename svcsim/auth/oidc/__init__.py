"""OpenID Connect: users that an identity provider vouches for, by tokens that it has signed."""
