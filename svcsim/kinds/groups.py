"""The API groups that kinds belong to, as kinds name them: once for all dialects."""

from svcsim.registry.kind import Group

CORE_V1 = Group("", "v1")
APPS_V1 = Group("apps", "v1")
APIEXTENSIONS_V1 = Group("apiextensions", "v1", suffixed=True)
AUTOSCALING_V1 = Group("autoscaling", "v1")
AUTOSCALING_V2 = Group("autoscaling", "v2")
POLICY_V1 = Group("policy", "v1")
COORDINATION_V1 = Group("coordination", "v1", suffixed=True)
DISCOVERY_V1 = Group("discovery", "v1", suffixed=True)
EVENTS_V1 = Group("events", "v1", suffixed=True)
