"""The API's description as OpenAPI documents, versions 2 and 3."""
