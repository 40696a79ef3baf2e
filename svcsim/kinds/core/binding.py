"""Binding: assigns a pod to a node. Schedulers still take this older way of what ``pods/NAME/binding`` does."""

from svcsim.kinds.core.pod_subresources import BINDING_BODY
from svcsim.kinds.groups import CORE_V1
from svcsim.registry.kind import Kind

BINDING = Kind(CORE_V1, "bindings", BINDING_BODY, answered=True, stands_for="pods/binding")
