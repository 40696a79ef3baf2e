"""The API groups that kinds belong to, as kinds name them: once for all dialects."""

from svcsim.registry.kind import Group

CORE_V1 = Group("", "v1")
APPS_V1 = Group("apps", "v1")
APIEXTENSIONS_V1 = Group("apiextensions", "v1", suffixed=True)
AUTOSCALING_V1 = Group("autoscaling", "v1")
AUTOSCALING_V2 = Group("autoscaling", "v2")
POLICY_V1 = Group("policy", "v1")
APIREGISTRATION_V1 = Group("apiregistration", "v1", suffixed=True)
COORDINATION_V1 = Group("coordination", "v1", suffixed=True)
DISCOVERY_V1 = Group("discovery", "v1", suffixed=True)
EVENTS_V1 = Group("events", "v1", suffixed=True)
NETWORKING_V1 = Group("networking", "v1", suffixed=True)
FLOWCONTROL_V1 = Group("flowcontrol.apiserver", "v1", suffixed=True)
NODE_V1 = Group("node", "v1", suffixed=True)
RESOURCE_V1 = Group("resource", "v1", suffixed=True)
SCHEDULING_V1 = Group("scheduling", "v1", suffixed=True)
AUTHENTICATION_V1 = Group("authentication", "v1", suffixed=True)
AUTHORIZATION_V1 = Group("authorization", "v1", suffixed=True)
CERTIFICATES_V1 = Group("certificates", "v1", suffixed=True)
RBAC_V1 = Group("rbac.authorization", "v1", suffixed=True)
ADMISSION_REGISTRATION_V1 = Group("admissionregistration", "v1", suffixed=True)
