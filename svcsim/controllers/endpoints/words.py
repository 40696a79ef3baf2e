"""The labels and annotations that Endpoints and EndpointSlices bear, in the words of the cluster's dialect."""

from typing import NamedTuple

from svcsim.dialect import Dialect


class EndpointWords(NamedTuple):
    """Keys, and the names of those who manage."""

    service_name: str
    slices_managed_by: str
    endpoints_managed_by: str
    trigger_time: str
    """An annotation: when that changed which an object follows from."""
    over_capacity: str
    """An annotation: that there are more addresses than Endpoints have."""
    skip_mirror: str
    """A label: whose endpoints have slices by other means."""
    last_applied: str
    """An annotation: what somebody applied of Endpoints, which is of no interest beside them."""
    leader: str
    """An annotation: whose Endpoints are a lock for those who elect a leader, and no addresses."""
    zone: str
    """A label of nodes."""
    control_plane: tuple[str, ...]
    """Labels of nodes that are for the control plane."""
    topology_modes: tuple[str, ...]
    """Annotations, the first of which counts: whether zones are to have shares of a service's endpoints."""
    slice_manager: str
    mirror_manager: str


def endpoint_words(dialect: Dialect) -> EndpointWords:
    return EndpointWords(
        service_name=dialect.key("service-name"),
        slices_managed_by=dialect.key("managed-by", "endpointslice"),
        endpoints_managed_by=dialect.key("managed-by", "endpoints"),
        trigger_time=dialect.key("last-change-trigger-time", "endpoints"),
        over_capacity=dialect.key("over-capacity", "endpoints"),
        skip_mirror=dialect.key("skip-mirror", "endpointslice"),
        last_applied=dialect.key("last-applied-configuration", "kubectl"),
        leader=dialect.key("leader", "control-plane.alpha"),
        zone=dialect.key("zone", "topology"),
        control_plane=(dialect.key("control-plane", "node-role"), dialect.key("master", "node-role")),
        topology_modes=(dialect.key("topology-aware-hints", "service"), dialect.key("topology-mode", "service")),
        slice_manager=dialect.group("endpointslice-controller"),
        mirror_manager=dialect.group("endpointslicemirroring-controller"),
    )
