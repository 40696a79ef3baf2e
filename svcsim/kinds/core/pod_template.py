"""PodTemplate: a template for pods, as an object of its own."""

from svcsim.kinds.groups import CORE_V1
from svcsim.kinds.shared.columns import containers_of, labels_at
from svcsim.kinds.shared.pod_spec.spec import POD_TEMPLATE_SPEC
from svcsim.registry.kind import Column, Kind
from svcsim.schema.types import Field, Struct

POD_TEMPLATE = Kind(
    CORE_V1,
    "podtemplates",
    Struct(
        "PodTemplate", Field(2, "template", POD_TEMPLATE_SPEC, "The template", default={}), doc="A template from which pods can be created"
    ),
    columns=(
        *(column._replace(priority=0) for column in containers_of("template")),
        Column("Pod Labels", labels_at("template.metadata.labels"), doc="Labels of the pods"),
    ),
    generation=True,
    deletes_to_object=True,
)
