"""CustomResourceDefinition: a kind that the cluster serves as long as this object is there.

The names of a schema's extensions are the dialect's, so there is one kind for each prefix.
"""

from dataclasses import replace

from svcsim.kinds.apiextensions.custom_resource_definition_columns import created_at
from svcsim.kinds.apiextensions.custom_resource_definition_defaults import fill_names, fill_webhook
from svcsim.kinds.apiextensions.custom_resource_definition_rules import approved, changes, rules, rules_of_change, status_changes
from svcsim.kinds.apiextensions.custom_resource_definition_strategy import begin_deletion, initial_status, keep_stored_versions
from svcsim.kinds.apiextensions.format_warnings import format_warnings, format_warnings_of_change
from svcsim.kinds.apiextensions.json_schema_props import json_schema_props
from svcsim.kinds.groups import APIEXTENSIONS_V1
from svcsim.kinds.shared.conditions import conditions
from svcsim.kinds.shared.types import STRINGS
from svcsim.registry.kind import Column, Kind, Status, Strategy, status_subresource
from svcsim.schema.types import Bool, Bytes, Field, Int, List, Str, Struct

_SERVICE = Struct(
    "ServiceReference",
    Field(1, "namespace", Str(), "Namespace of the Service", required=True, default=""),
    Field(2, "name", Str(), "Name of the Service", required=True, default=""),
    Field(3, "path", Str(), "Path of the URL", presence=True),
    Field(4, "port", Int(), "Port of the Service"),
    doc="Refers to a Service that serves a webhook",
)
_CLIENT_CONFIG = Struct(
    "WebhookClientConfig",
    Field(1, "service", _SERVICE, "The Service that serves the webhook"),
    Field(2, "caBundle", Bytes(), "Certificates, as PEM, that the webhook's own is checked with"),
    Field(3, "url", Str(), "Where the webhook is, if no Service serves it", presence=True),
    doc="How a webhook is reached: by its URL or as a Service",
)
_WEBHOOK = Struct(
    "WebhookConversion",
    Field(2, "clientConfig", _CLIENT_CONFIG, "How the webhook is reached"),
    Field(
        3,
        "conversionReviewVersions",
        STRINGS,
        "Versions of ConversionReview that the webhook understands, the preferred one first",
        required=True,
        presence=True,
    ),
    doc="A webhook that converts objects between versions",
    fill=fill_webhook,
)
_CONVERSION = Struct(
    "CustomResourceConversion",
    Field(1, "strategy", Str(), "None changes nothing but the version, Webhook asks a webhook", required=True),
    Field(2, "webhook", _WEBHOOK, "The webhook to ask"),
    doc="How objects are converted between versions",
)
_NAMES = Struct(
    "CustomResourceDefinitionNames",
    Field(1, "plural", Str(), "Name of the resource in paths", required=True, presence=True),
    Field(2, "singular", Str(), "Name of one object on the command line; by default the kind in lower case"),
    Field(3, "shortNames", STRINGS, "Short names on the command line"),
    Field(4, "kind", Str(), "Name of the kind", required=True, presence=True),
    Field(5, "listKind", Str(), "Kind of a list; by default the kind with List behind it"),
    Field(6, "categories", STRINGS, "Groups of resources it belongs to on the command line, such as all"),
    doc="What a custom resource is called",
)
_COLUMN = Struct(
    "CustomResourceColumnDefinition",
    Field(1, "name", Str(), "Heading of the column", required=True),
    Field(2, "type", Str(), "Type of what it shows: integer, number, string, boolean or date", required=True),
    Field(3, "format", Str(), "Format of what it shows"),
    Field(4, "description", Str(), "Description of what it shows"),
    Field(5, "priority", Int(), "Importance of the column: other than 0 are shown with wide output only", presence=False),
    Field(6, "jsonPath", Str(), "Where in an object the value is found, as a simple JSON path", required=True),
    doc="A column of the table that shows custom resources",
)
_SCALE = Struct(
    "CustomResourceSubresourceScale",
    Field(1, "specReplicasPath", Str(), "Where the desired number of replicas stands, below .spec", required=True),
    Field(2, "statusReplicasPath", Str(), "Where the current number of replicas stands, below .status", required=True),
    Field(3, "labelSelectorPath", Str(), "Where the label selector stands as a text, below .status or .spec", presence=True),
    doc="How a custom resource is scaled",
)
_SUBRESOURCES = Struct(
    "CustomResourceSubresources",
    Field(1, "status", Struct("CustomResourceSubresourceStatus", doc="Says that there is a status"), "Serves the status by itself"),
    Field(2, "scale", _SCALE, "Serves the size as a Scale"),
    doc="What of a custom resource is served by itself",
)
_SELECTABLE = Struct(
    "SelectableField",
    Field(1, "jsonPath", Str(), "Where the field is, as a simple JSON path", required=True),
    doc="A field that field selectors may name",
)
_STATUS = Struct(
    "CustomResourceDefinitionStatus",
    Field(
        1,
        "conditions",
        replace(
            conditions(
                "CustomResourceDefinitionCondition",
                "Established, NamesAccepted, NonStructuralSchema, KubernetesAPIApprovalPolicyConformant or Terminating",
                lastTransitionTime=3,
                reason=4,
                message=5,
                observedGeneration=6,
            ),
            merge_key="",  # older patches replace the whole list
        ),
        "Current conditions of the definition",
    ),
    Field(2, "acceptedNames", _NAMES, "The names that the resource is served by"),
    Field(3, "storedVersions", STRINGS, "Versions in which objects may be stored"),
    Field(4, "observedGeneration", Int(bits=64), "The metadata.generation that this status is about", presence=False),
    doc="Current state of a definition",
)


def custom_resource_definition(prefix: str) -> Kind:
    """The kind, with extensions of schemas of that prefix."""
    validation = Struct(
        "CustomResourceValidation",
        Field(1, "openAPIV3Schema", json_schema_props(prefix), "Schema of the objects"),
        doc="What objects of a version are like",
    )
    version = Struct(
        "CustomResourceDefinitionVersion",
        Field(1, "name", Str(), "Name of the version, such as v1beta1", required=True),
        Field(2, "served", Bool(), "Whether this version is served", required=True),
        Field(3, "storage", Bool(), "Whether objects are stored in this version, as they are in exactly one", required=True),
        Field(4, "schema", validation, "What objects of this version are like"),
        Field(5, "subresources", _SUBRESOURCES, "What of an object is served by itself"),
        Field(6, "additionalPrinterColumns", List(_COLUMN, list_type="atomic"), "Columns of the table beside the name"),
        Field(7, "deprecated", Bool(), "Whether users of this version are warned", presence=False),
        Field(8, "deprecationWarning", Str(), "What they are told", presence=True),
        Field(9, "selectableFields", List(_SELECTABLE, list_type="atomic"), "Fields that field selectors may name"),
        doc="A version of a custom resource",
    )
    spec = Struct(
        "CustomResourceDefinitionSpec",
        Field(1, "group", Str(), "API group that the resource belongs to", required=True, presence=True),
        Field(3, "names", _NAMES, "What the resource is called", required=True),
        Field(4, "scope", Str(), "Cluster or Namespaced", required=True, presence=True),
        Field(7, "versions", List(version, list_type="atomic"), "All versions of the resource", required=True),
        Field(9, "conversion", _CONVERSION, "How objects are converted between versions", default={"strategy": "None"}),
        Field(10, "preserveUnknownFields", Bool(), "Must be false: schemas say which fields are kept", presence=False),
        doc="Desired state of a definition",
        fill=fill_names,
    )
    return Kind(
        APIEXTENSIONS_V1,
        "customresourcedefinitions",
        Struct(
            "CustomResourceDefinition",
            Field(2, "spec", spec, "What the kind is like", required=True),
            Field(3, "status", _STATUS, "Current state of the definition", default={}),
            doc="Defines a kind of object that the cluster then serves",
        ),
        short=("crd", "crds"),
        categories=("api-extensions",),
        namespaced=False,
        columns=(Column("Created At", created_at, "date", doc="When the definition was made"),),
        status=Status(subresource=status_subresource(update_rules=(status_changes,)), initial=initial_status),
        strategy=Strategy(
            create_rules=(rules, approved),
            update_rules=(rules_of_change, changes),
            warnings=(format_warnings,),
            update_warnings=(format_warnings_of_change,),
            update=keep_stored_versions,
            terminate=begin_deletion,
        ),
    )


CUSTOM_RESOURCE_DEFINITION = custom_resource_definition("x-kubernetes-")
"""With the words of Kubernetes."""
