"""PodTemplate: a template of pods, kept as an object of its own."""

from svcsim.kinds.groups import CORE_V1
from svcsim.kinds.shared.columns import containers_of, labels_text
from svcsim.kinds.shared.pod_spec.spec import POD_TEMPLATE_SPEC
from svcsim.meta.objects import get_path
from svcsim.meta.types import Json, Object
from svcsim.registry.kind import Column, Context, Kind
from svcsim.schema.types import Field, Struct


def _pod_labels(obj: Object, context: Context) -> Json:  # noqa: ARG001 - a cell's signature
    return labels_text(get_path(obj, "template.metadata.labels"))


POD_TEMPLATE = Kind(
    "PodTemplate",
    CORE_V1,
    "podtemplates",
    Struct("PodTemplate", Field(2, "template", POD_TEMPLATE_SPEC, "The template", default={}), doc="A template of pods"),
    singular="podtemplate",
    columns=(
        *(column._replace(priority=0) for column in containers_of("template")),
        Column("Pod Labels", _pod_labels, doc="Labels of the pods"),
    ),
    generation=True,
    deletes_to_object=True,
    doc="A template of pods",
)
