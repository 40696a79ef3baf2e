"""References to parts of config maps, secrets and the pod itself, for environment variables and volumes."""

from svcsim.kinds.shared.checks import file_mode
from svcsim.kinds.shared.pod_spec.container_rules import file_path
from svcsim.kinds.shared.pod_spec.divisor_rules import divisor_rules
from svcsim.kinds.shared.pod_spec.source_rules import downward_file_rules, env_from_rules, env_rules, file_key_rules, key_selector_rules
from svcsim.kinds.shared.references import LOCAL_OBJECT_REFERENCE
from svcsim.schema.types import Bool, Field, Int, List, Quantity, Str, Struct

_NAMED = Field(1, "localObjectReference", LOCAL_OBJECT_REFERENCE, inline=True)

OBJECT_FIELD_SELECTOR = Struct(
    "ObjectFieldSelector",
    Field(1, "apiVersion", Str(), "API version of the path", default="v1"),
    Field(2, "fieldPath", Str(), "Path of the field, such as metadata.name", required=True),
    atomic=True,
    doc="Selects a field of the pod",
)
RESOURCE_FIELD_SELECTOR = Struct(
    "ResourceFieldSelector",
    Field(1, "containerName", Str(), "Name of the container; required in volumes, the same container if unset in environment variables"),
    Field(2, "resource", Str(), "Amount to select, such as limits.cpu", required=True),
    Field(3, "divisor", Quantity(), "Unit in which the amount is given", default="0"),
    atomic=True,
    rules=(divisor_rules,),
    doc="Selects a resource request or limit of a container",
)
CONFIG_MAP_KEY_SELECTOR = Struct(
    "ConfigMapKeySelector",
    _NAMED,
    Field(2, "key", Str(), "Key to select", required=True),
    Field(3, "optional", Bool(), "Whether the ConfigMap and its key are optional"),
    atomic=True,
    rules=(key_selector_rules,),
    doc="Selects a key of a ConfigMap",
)
SECRET_KEY_SELECTOR = Struct(
    "SecretKeySelector",
    _NAMED,
    Field(2, "key", Str(), "Key to select", required=True),
    Field(3, "optional", Bool(), "Whether the Secret and its key are optional"),
    atomic=True,
    rules=(key_selector_rules,),
    doc="Selects a key of a Secret",
)
FILE_KEY_SELECTOR = Struct(
    "FileKeySelector",
    Field(1, "volumeName", Str(), "Name of the volume with the file", required=True),
    Field(2, "path", Str(), "Path of the file within the volume", required=True, rules=(file_path,)),
    Field(3, "key", Str(), "Name of the variable in the file", required=True),
    Field(4, "optional", Bool(), "Whether the file and the variable are optional", default=False),
    atomic=True,
    rules=(file_key_rules,),
    doc="Selects a variable from a file in a volume",
)
ENV_VAR_SOURCE = Struct(
    "EnvVarSource",
    Field(1, "fieldRef", OBJECT_FIELD_SELECTOR, "A field of the pod"),
    Field(2, "resourceFieldRef", RESOURCE_FIELD_SELECTOR, "A request or limit of the container"),
    Field(3, "configMapKeyRef", CONFIG_MAP_KEY_SELECTOR, "A key of a ConfigMap"),
    Field(4, "secretKeyRef", SECRET_KEY_SELECTOR, "A key of a Secret"),
    Field(5, "fileKeyRef", FILE_KEY_SELECTOR, "A variable in a file in a volume"),
    doc="Source of the value of an environment variable; exactly one of these is set",
)
ENV_VAR = Struct(
    "EnvVar",
    Field(1, "name", Str(), "Name of the variable", required=True),
    Field(2, "value", Str(), "Value of the variable; $(NAME) is replaced by the variable NAME"),
    Field(3, "valueFrom", ENV_VAR_SOURCE, "Source of the value, instead of value"),
    rules=(env_rules,),
    doc="An environment variable",
)
CONFIG_MAP_ENV_SOURCE = Struct(
    "ConfigMapEnvSource",
    _NAMED,
    Field(2, "optional", Bool(), "Whether the ConfigMap is optional"),
    doc="All keys of a ConfigMap as environment variables",
)
SECRET_ENV_SOURCE = Struct(
    "SecretEnvSource",
    _NAMED,
    Field(2, "optional", Bool(), "Whether the Secret is optional"),
    doc="All keys of a Secret as environment variables",
)
ENV_FROM_SOURCE = Struct(
    "EnvFromSource",
    Field(1, "prefix", Str(), "Prefix for the names of the variables"),
    Field(2, "configMapRef", CONFIG_MAP_ENV_SOURCE, "ConfigMap whose keys become variables"),
    Field(3, "secretRef", SECRET_ENV_SOURCE, "Secret whose keys become variables"),
    rules=(env_from_rules,),
    doc="A set of environment variables",
)

KEY_TO_PATH = Struct(
    "KeyToPath",
    Field(1, "key", Str(), "Key to show as a file", required=True),
    Field(2, "path", Str(), "Relative path of the file; must not contain ..", required=True, rules=(file_path,)),
    Field(3, "mode", Int(), "Permission bits of the file; the default of the volume if unset", rules=(file_mode,)),
    doc="Shows a key as a file",
)
KEYS_TO_PATHS = List(KEY_TO_PATH, list_type="atomic")
DOWNWARD_API_VOLUME_FILE = Struct(
    "DownwardAPIVolumeFile",
    Field(1, "path", Str(), "Relative path of the file; must not contain ..", required=True, rules=(file_path,)),
    Field(2, "fieldRef", OBJECT_FIELD_SELECTOR, "A field of the pod"),
    Field(3, "resourceFieldRef", RESOURCE_FIELD_SELECTOR, "A request or limit of a container"),
    Field(4, "mode", Int(), "Permission bits of the file; the default of the volume if unset", rules=(file_mode,)),
    rules=(downward_file_rules,),
    doc="Shows a field of the pod as a file",
)
DOWNWARD_API_FILES = List(DOWNWARD_API_VOLUME_FILE, list_type="atomic")
