"""The media type of version 2 as protobuf."""

PROTOBUF_TYPE = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf"
PROTOBUF_TYPES = (PROTOBUF_TYPE, "application/com.github.proto-openapi.spec.v2@v1.0+protobuf")
"""As it is answered, and as it is asked for."""
