"""Parts of config maps, secrets and the pod itself, as environment variables and volumes take them in."""

from svcsim.kinds.shared.checks import file_mode
from svcsim.kinds.shared.pod_spec.container_rules import file_path
from svcsim.kinds.shared.pod_spec.source_rules import downward_file_rules, env_from_rules, env_rules, key_selector_rules
from svcsim.kinds.shared.references import LOCAL_OBJECT_REFERENCE
from svcsim.schema.types import Bool, Field, Int, List, Quantity, Str, Struct

_NAMED = Field(1, "localObjectReference", LOCAL_OBJECT_REFERENCE, inline=True)

OBJECT_FIELD_SELECTOR = Struct(
    "ObjectFieldSelector",
    Field(1, "apiVersion", Str(), "Version of the schema the path is written for", default="v1"),
    Field(2, "fieldPath", Str(), "Path of the field, such as metadata.name", required=True),
    atomic=True,
    doc="One field of the pod",
)
RESOURCE_FIELD_SELECTOR = Struct(
    "ResourceFieldSelector",
    Field(1, "containerName", Str(), "Which container; required in volumes, the own one in environment variables"),
    Field(2, "resource", Str(), "Which amount, such as limits.cpu", required=True),
    Field(3, "divisor", Quantity(), "The unit the amount is told in", default="0"),
    atomic=True,
    doc="A resource request or limit of a container",
)
CONFIG_MAP_KEY_SELECTOR = Struct(
    "ConfigMapKeySelector",
    _NAMED,
    Field(2, "key", Str(), "The key to take", required=True),
    Field(3, "optional", Bool(), "Whether the ConfigMap or its key may be missing"),
    atomic=True,
    rules=(key_selector_rules,),
    doc="One key of a ConfigMap",
)
SECRET_KEY_SELECTOR = Struct(
    "SecretKeySelector",
    _NAMED,
    Field(2, "key", Str(), "The key to take", required=True),
    Field(3, "optional", Bool(), "Whether the Secret or its key may be missing"),
    atomic=True,
    rules=(key_selector_rules,),
    doc="One key of a Secret",
)
FILE_KEY_SELECTOR = Struct(
    "FileKeySelector",
    Field(1, "volumeName", Str(), "The volume that holds the file", required=True),
    Field(2, "path", Str(), "Path of the file within the volume", required=True),
    Field(3, "key", Str(), "The variable's name in the file", required=True),
    Field(4, "optional", Bool(), "Whether the file or the key may be missing", default=False),
    atomic=True,
    doc="One variable of an environment file that an init container wrote",
)
ENV_VAR_SOURCE = Struct(
    "EnvVarSource",
    Field(1, "fieldRef", OBJECT_FIELD_SELECTOR, "A field of the pod"),
    Field(2, "resourceFieldRef", RESOURCE_FIELD_SELECTOR, "A request or limit of the container"),
    Field(3, "configMapKeyRef", CONFIG_MAP_KEY_SELECTOR, "A key of a ConfigMap"),
    Field(4, "secretKeyRef", SECRET_KEY_SELECTOR, "A key of a Secret"),
    Field(5, "fileKeyRef", FILE_KEY_SELECTOR, "A variable in a file"),
    doc="Where a variable's value comes from",
)
ENV_VAR = Struct(
    "EnvVar",
    Field(1, "name", Str(), "Name of the variable", required=True),
    Field(2, "value", Str(), "The value; $(NAME) stands for another variable"),
    Field(3, "valueFrom", ENV_VAR_SOURCE, "Where the value comes from, instead of value"),
    rules=(env_rules,),
    doc="An environment variable",
)
CONFIG_MAP_ENV_SOURCE = Struct(
    "ConfigMapEnvSource",
    _NAMED,
    Field(2, "optional", Bool(), "Whether the ConfigMap may be missing"),
    doc="All keys of a ConfigMap as variables",
)
SECRET_ENV_SOURCE = Struct(
    "SecretEnvSource",
    _NAMED,
    Field(2, "optional", Bool(), "Whether the Secret may be missing"),
    doc="All keys of a Secret as variables",
)
ENV_FROM_SOURCE = Struct(
    "EnvFromSource",
    Field(1, "prefix", Str(), "Put before the name of each variable"),
    Field(2, "configMapRef", CONFIG_MAP_ENV_SOURCE, "The ConfigMap to take"),
    Field(3, "secretRef", SECRET_ENV_SOURCE, "The Secret to take"),
    rules=(env_from_rules,),
    doc="A set of environment variables",
)

KEY_TO_PATH = Struct(
    "KeyToPath",
    Field(1, "key", Str(), "The key to show", required=True),
    Field(2, "path", Str(), "Relative path of the file; no .. in it", required=True, rules=(file_path,)),
    Field(3, "mode", Int(), "Permission bits of the file, instead of the volume's", rules=(file_mode,)),
    doc="A key shown as a file",
)
KEYS_TO_PATHS = List(KEY_TO_PATH, kind="atomic")
DOWNWARD_API_VOLUME_FILE = Struct(
    "DownwardAPIVolumeFile",
    Field(1, "path", Str(), "Relative path of the file; no .. in it", required=True, rules=(file_path,)),
    Field(2, "fieldRef", OBJECT_FIELD_SELECTOR, "A field of the pod"),
    Field(3, "resourceFieldRef", RESOURCE_FIELD_SELECTOR, "A request or limit of a container"),
    Field(4, "mode", Int(), "Permission bits of the file, instead of the volume's", rules=(file_mode,)),
    rules=(downward_file_rules,),
    doc="A fact about the pod shown as a file",
)
DOWNWARD_API_FILES = List(DOWNWARD_API_VOLUME_FILE, kind="atomic")
