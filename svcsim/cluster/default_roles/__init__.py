"""The roles and bindings that every cluster has: what its own components and its users may do unless somebody says otherwise."""
