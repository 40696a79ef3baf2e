"""Types that every kind shares: object metadata, lists, selectors, statuses, options.

Fields stand in the order they are served in. `object_struct` puts the fields that all objects have before a kind's own.
"""

from svcsim.meta.label_selectors import validate_object
from svcsim.schema.derived import derived
from svcsim.schema.types import Bool, Field, Int, List, Map, Raw, Str, Struct, Time

OWNER_REFERENCE = Struct(
    "OwnerReference",
    Field(5, "apiVersion", Str(), "Version of the owner's API", required=True, presence=True),
    Field(1, "kind", Str(), "Kind of the owner", required=True, presence=True),
    Field(3, "name", Str(), "Name of the owner", required=True, presence=True),
    Field(4, "uid", Str(), "UID of the owner", required=True, presence=True),
    Field(6, "controller", Bool(), "Whether the owner is the controller that manages this object"),
    Field(7, "blockOwnerDeletion", Bool(), "Whether a foreground deletion of the owner waits until this object is removed"),
    doc="Names an object, in the same namespace or cluster-wide, that this object depends on.",
    atomic=True,
)

MANAGED_FIELDS_ENTRY = Struct(
    "ManagedFieldsEntry",
    Field(1, "manager", Str(), "Name of the manager of these fields"),
    Field(2, "operation", Str(), "Operation by which the manager got the fields: Apply or Update"),
    Field(3, "apiVersion", Str(), "API version of the names in the field set"),
    Field(4, "time", Time(), "When the entry was made or its fields last changed"),
    Field(6, "fieldsType", Str(), "Format of the field set; FieldsV1 is the only one"),
    Field(7, "fieldsV1", Raw(fields_v1=True), "The field set"),
    Field(8, "subresource", Str(), "Subresource that the manager wrote; empty for the object itself"),
    doc="One manager of an object's fields, and the fields it owns.",
)

OBJECT_META = Struct(
    "ObjectMeta",
    Field(1, "name", Str(), "Name, unique among objects of its type in its namespace; can't be changed"),
    Field(2, "generateName", Str(), "Prefix from which the server makes a unique name when none is given"),
    Field(3, "namespace", Str(), "Namespace the object lives in; empty for cluster-wide objects"),
    Field(5, "uid", Str(), "Unique identifier of this object for all time; set by the server"),
    Field(6, "resourceVersion", Str(), "Opaque version of the object, for optimistic concurrency and watching; set by the server"),
    Field(7, "generation", Int(bits=64), "Counts changes of the desired state; set by the server", presence=False),
    Field(8, "creationTimestamp", Time(), "When the object was created; set by the server"),
    Field(9, "deletionTimestamp", Time(), "When the object is due to be removed; set by the server on a graceful deletion"),
    Field(10, "deletionGracePeriodSeconds", Int(bits=64), "Seconds the object has to terminate; may only be shortened"),
    Field(11, "labels", Map(Str()), "Keys and values to select and organise objects by"),
    Field(12, "annotations", Map(Str()), "Keys and values that tools store with the object; not usable in selectors"),
    Field(
        13,
        "ownerReferences",
        List(OWNER_REFERENCE, list_type="map", keys=("uid",), merge_key="uid", unique=False),
        "Objects this one depends on",
        patch="merge",
    ),
    Field(
        14,
        "finalizers",
        List(Str(), list_type="set", unique=False),
        "Work to finish before the object is removed; it is removed once the list is empty",
        patch="merge",
    ),
    Field(17, "managedFields", List(MANAGED_FIELDS_ENTRY, list_type="atomic"), "Which manager owns which fields; maintained by the server"),
    # Last, because it is free text: the store cuts encoded objects open at resourceVersion, and looks for it from the front.
    Field(4, "selfLink", Str(), "No longer set"),
    doc="Metadata that all objects have: names, versions, labels, owners.",
)

LIST_META = Struct(
    "ListMeta",
    Field(1, "selfLink", Str(), "No longer set"),
    Field(2, "resourceVersion", Str(), "Version of the list, to start a watch from"),
    Field(3, "continue", Str(), "Token to request the next part of the list with"),
    Field(4, "remainingItemCount", Int(bits=64), "Number of items after this part, if known"),
    doc="Metadata that all lists have.",
)

LABEL_SELECTOR_REQUIREMENT = Struct(
    "LabelSelectorRequirement",
    Field(1, "key", Str(), "Label that the requirement applies to", required=True, default=""),
    Field(
        2, "operator", Str(), "In, NotIn, Exists or DoesNotExist: how the label's value relates to the values", required=True, default=""
    ),
    Field(3, "values", List(Str(), list_type="atomic"), "Values for In and NotIn; empty for Exists and DoesNotExist"),
    doc="One condition on a label.",
)

FIELD_SELECTOR_REQUIREMENT = Struct(
    "FieldSelectorRequirement",
    Field(1, "key", Str(), "Field that the requirement applies to", required=True, default=""),
    Field(
        2, "operator", Str(), "In, NotIn, Exists or DoesNotExist: how the field's value relates to the values", required=True, default=""
    ),
    Field(3, "values", List(Str(), list_type="atomic"), "Values for In and NotIn; empty for Exists and DoesNotExist"),
    doc="One condition on a field.",
)

LABEL_SELECTOR = Struct(
    "LabelSelector",
    Field(1, "matchLabels", Map(Str()), "Labels with exactly these values"),
    Field(2, "matchExpressions", List(LABEL_SELECTOR_REQUIREMENT, list_type="atomic"), "Further conditions; all must hold"),
    doc="Selects objects by their labels: all conditions must hold; an empty selector takes all, an absent one none.",
    atomic=True,
    rules=(validate_object,),
)

CONDITION = Struct(
    "Condition",
    Field(1, "type", Str(), "Type of the condition", required=True),
    Field(2, "status", Str(), "True, False or Unknown", required=True, enum=("True", "False", "Unknown")),
    Field(3, "observedGeneration", Int(bits=64, minimum=0), "Generation of the object that the condition was set for", presence=False),
    Field(4, "lastTransitionTime", Time(), "When the status last changed", required=True),
    Field(5, "reason", Str(), "Machine-readable cause, one CamelCase word", required=True),
    Field(6, "message", Str(), "Human-readable description of the cause", required=True, default=""),
    doc="One aspect of an object's current state.",
)

STATUS_CAUSE = Struct(
    "StatusCause",
    Field(1, "reason", Str(), "Machine-readable cause, one CamelCase word"),
    Field(2, "message", Str(), "Human-readable description of the cause"),
    Field(3, "field", Str(), "Path of the field that caused the failure"),
    doc="One of several causes of a failure.",
)

STATUS_DETAILS = Struct(
    "StatusDetails",
    Field(1, "name", Str(), "Name of the object concerned"),
    Field(2, "group", Str(), "API group of the object concerned"),
    Field(3, "kind", Str(), "Kind or resource type of the object concerned"),
    Field(6, "uid", Str(), "UID of the object concerned"),
    Field(4, "causes", List(STATUS_CAUSE, list_type="atomic"), "Individual causes of the failure"),
    Field(5, "retryAfterSeconds", Int(), "Seconds to wait before the request is tried again", presence=False),
    doc="Details of a failure.",
)

STATUS = Struct(
    "Status",
    Field(0, "kind", Str(), "Kind of the object"),
    Field(0, "apiVersion", Str(), "API group and version of the object"),
    Field(1, "metadata", LIST_META, "List metadata"),
    Field(2, "status", Str(), "Success or Failure"),
    Field(3, "message", Str(), "Human-readable description of the outcome"),
    Field(4, "reason", Str(), "Machine-readable reason for the failure, one CamelCase word"),
    Field(5, "details", STATUS_DETAILS, "Details of the failure"),
    Field(6, "code", Int(), "The HTTP code", presence=False),
    doc="The outcome of a request that returns no object.",
)

WATCH_EVENT = Struct(
    "WatchEvent",
    Field(1, "type", Str(), "What happened: ADDED, MODIFIED, DELETED, BOOKMARK or ERROR", required=True),
    Field(2, "object", Raw(), "The object as it is now, or was last; for an error a Status", required=True),
    doc="One event of a watch.",
)

PATCH = Struct("Patch", doc="A patch, of whichever type its content type says.")

PRECONDITIONS = Struct(
    "Preconditions",
    Field(1, "uid", Str(), "UID the object must have", presence=True),
    Field(2, "resourceVersion", Str(), "Resource version the object must have", presence=True),
    doc="Preconditions of a request.",
)

DELETE_OPTIONS = Struct(
    "DeleteOptions",
    Field(0, "kind", Str(), "Kind of the object"),
    Field(0, "apiVersion", Str(), "API group and version of the object"),
    Field(1, "gracePeriodSeconds", Int(bits=64), "Seconds for a graceful termination; 0 means immediately; by default as the type says"),
    Field(2, "preconditions", PRECONDITIONS, "Preconditions of the deletion"),
    Field(3, "orphanDependents", Bool(), "Older form of propagationPolicy"),
    Field(4, "propagationPolicy", Str(), "What happens to dependents: Orphan, Background or Foreground", presence=True),
    Field(5, "dryRun", List(Str(), list_type="atomic"), "With All, everything is done except for storing the change"),
    Field(6, "ignoreStoreReadErrorWithClusterBreakingPotential", Bool(), "Delete the object even if the store can no longer read it"),
    doc="Options for the deletion of an object.",
)

API_RESOURCE = Struct(
    "APIResource",
    Field(1, "name", Str(), "Name of the resource type, in plural, as paths have it", required=True),
    Field(6, "singularName", Str(), "Name of the resource type in singular", required=True),
    Field(2, "namespaced", Bool(), "Whether its objects stand in namespaces", required=True),
    Field(8, "group", Str(), "API group of the kind, where it isn't that of the list"),
    Field(9, "version", Str(), "Version of the kind, where it isn't that of the list"),
    Field(3, "kind", Str(), "Kind of its objects", required=True),
    Field(4, "verbs", List(Str()), "What can be done with them", required=True),
    Field(5, "shortNames", List(Str(), list_type="atomic"), "Shorter names that clients may take"),
    Field(7, "categories", List(Str(), list_type="atomic"), "Names of groups of resource types it belongs to, such as all"),
    Field(10, "storageVersionHash", Str(), "Changes with the version its objects are stored in, and says nothing else"),
    doc="A resource type, as discovery lists it.",
)

API_RESOURCE_LIST = Struct(
    "APIResourceList",
    Field(0, "kind", Str(), "Kind of the object"),
    Field(0, "apiVersion", Str(), "API group and version of the object"),
    Field(1, "groupVersion", Str(), "The version of a group", required=True),
    Field(2, "resources", List(API_RESOURCE, list_type="atomic"), "Its resource types and their subresources", required=True),
    doc="The resource types of one version of a group.",
)

SERVER_ADDRESS = Struct(
    "ServerAddressByClientCIDR",
    Field(1, "clientCIDR", Str(), "Network of the clients that it is for", required=True),
    Field(2, "serverAddress", Str(), "Where these find the server; empty for where they have found it", required=True),
    doc="Where clients of a network find the server.",
)
_SERVER_ADDRESSES = List(SERVER_ADDRESS, list_type="atomic")

API_VERSIONS = Struct(
    "APIVersions",
    Field(0, "kind", Str(), "Kind of the object"),
    Field(0, "apiVersion", Str(), "API group and version of the object"),
    Field(1, "versions", List(Str(), list_type="atomic"), "The versions", required=True),
    Field(2, "serverAddressByClientCIDRs", _SERVER_ADDRESSES, "Where clients find the server", required=True),
    doc="The versions of the core group.",
)

GROUP_VERSION_FOR_DISCOVERY = Struct(
    "GroupVersionForDiscovery",
    Field(1, "groupVersion", Str(), "Group and version, as an object's apiVersion has them", required=True),
    Field(2, "version", Str(), "The version alone", required=True),
    doc="A version of a group.",
)

API_GROUP = Struct(
    "APIGroup",
    Field(0, "kind", Str(), "Kind of the object"),
    Field(0, "apiVersion", Str(), "API group and version of the object"),
    Field(1, "name", Str(), "Name of the group", required=True),
    Field(2, "versions", List(GROUP_VERSION_FOR_DISCOVERY, list_type="atomic"), "Its versions", required=True),
    Field(3, "preferredVersion", GROUP_VERSION_FOR_DISCOVERY, "The version that clients should take"),
    Field(4, "serverAddressByClientCIDRs", _SERVER_ADDRESSES, "Where clients find the server"),
    doc="A group and its versions.",
)

API_GROUP_LIST = Struct(
    "APIGroupList",
    Field(0, "kind", Str(), "Kind of the object"),
    Field(0, "apiVersion", Str(), "API group and version of the object"),
    Field(1, "groups", List(API_GROUP, list_type="atomic"), "The groups", required=True),
    doc="All groups but the core group.",
)

SHARED = (
    OWNER_REFERENCE,
    MANAGED_FIELDS_ENTRY,
    OBJECT_META,
    LIST_META,
    LABEL_SELECTOR_REQUIREMENT,
    FIELD_SELECTOR_REQUIREMENT,
    LABEL_SELECTOR,
    CONDITION,
    STATUS_CAUSE,
    STATUS_DETAILS,
    STATUS,
    WATCH_EVENT,
    PATCH,
    PRECONDITIONS,
    DELETE_OPTIONS,
    API_RESOURCE,
    API_RESOURCE_LIST,
    SERVER_ADDRESS,
    API_VERSIONS,
    GROUP_VERSION_FOR_DISCOVERY,
    API_GROUP,
    API_GROUP_LIST,
)
"""Types of the meta group, which all groups use: OpenAPI documents name them so, wherever they are met."""

_TYPE_META = (
    Field(0, "kind", Str(), "Kind of the object, in CamelCase"),
    Field(0, "apiVersion", Str(), "API group and version of the object"),
)
_METADATA = Field(1, "metadata", OBJECT_META, "Metadata that all objects have")


@derived
def object_struct(schema: Struct) -> Struct:
    """A kind's whole object: kind, apiVersion and metadata, then the kind's own fields.

    Field number 0 marks what protobuf keeps outside the object, in its envelope. A kind that declares its metadata itself (to say that it
    is required) declares it first.
    """
    common = _TYPE_META if schema.field("metadata") else (*_TYPE_META, _METADATA)
    return Struct(
        schema.name, *common, *schema.fields, doc=schema.doc, atomic=schema.atomic, fill=schema.fill, rules=schema.rules, open=schema.open
    )


@derived
def list_struct(schema: Struct, name: str) -> Struct:
    """A list of a kind's whole objects, by the name it has."""
    items = List(object_struct(schema))
    return Struct(
        name,
        *_TYPE_META,
        Field(1, "metadata", LIST_META, "Metadata of the list"),
        Field(2, "items", items, "The objects", required=True, presence=True),
        doc=f"A list of {schema.name} objects.",
    )
