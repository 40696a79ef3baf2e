"""What ``Accept`` headers come to."""

import pytest

from svcsim import limits
from svcsim.dialect import KUBERNETES, SVCAPI
from svcsim.meta.errors import StatusError
from svcsim.server.content.negotiate import PLAIN, Negotiator, Shape

TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io"


@pytest.mark.parametrize(
    ("accept", "expected"),
    [
        ("", PLAIN),
        ("*/*", PLAIN),
        ("application/json", PLAIN),
        ("application/*", PLAIN),
        ("application/json;charset=utf-8", PLAIN),
        ("application/json;stream=watch", PLAIN),
        ("text/html, application/xml;q=0.9, */*;q=0.8", PLAIN),
        ("application/yaml", Shape("yaml")),
        ("APPLICATION/YAML", Shape("yaml")),
        ("application/json;q=0.5, application/yaml", Shape("yaml")),
        ("application/yaml;q=0, application/json", PLAIN),
        (TABLE, Shape("json", "Table")),
        ("application/json; as=Table; v=v1beta1; g=meta.k8s.io", Shape("json", "Table", "v1beta1")),
        (f"{TABLE},application/json", Shape("json", "Table")),
        ("application/json;as=Table;v=v1;g=meta.other.io,application/json", PLAIN),
        ("application/json;as=Table;v=v9;g=meta.k8s.io,application/json", PLAIN),
        ("application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io", Shape("json", "PartialObjectMetadata")),
        ("application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io", Shape("json", "PartialObjectMetadataList")),
        ("application/vnd.kubernetes.protobuf, application/json", Shape("protobuf")),
        ("application/vnd.kubernetes.protobuf;q=0.8, application/json", PLAIN),
        ("application/vnd.svcapi.protobuf, application/json", PLAIN),
        ("application/vnd.kubernetes.protobuf;as=Table;v=v1;g=meta.k8s.io, application/json", PLAIN),
    ],
)
def test_the_best_that_we_have(accept: str, expected: Shape) -> None:
    negotiator = Negotiator(KUBERNETES)
    assert negotiator.shape(accept) == expected
    assert negotiator.shape(accept) == expected, "and the same when it is remembered"


def test_each_dialect_has_its_own_meta_group() -> None:
    assert Negotiator(SVCAPI).shape("application/json;as=Table;v=v1;g=meta.svcapi.io") == Shape("json", "Table")


KNOWN = "application/json, application/yaml, application/vnd.kubernetes.protobuf"


@pytest.mark.parametrize(
    ("accept", "message"),
    [
        ("application/json;as=Nothing;v=v1;g=meta.k8s.io", f"only the following media types are accepted: {KNOWN}"),
        ("text/html", f"406: Not Acceptable\n\nAvailable representations: {KNOWN}"),
        ("application/json;q=0", f"406: Not Acceptable\n\nAvailable representations: {KNOWN}"),
    ],
)
def test_nothing_we_have_is_406(accept: str, message: str) -> None:
    with pytest.raises(StatusError) as refused:
        Negotiator(KUBERNETES).shape(accept)
    assert (refused.value.code, refused.value.reason, refused.value.message) == (406, "NotAcceptable", message)


def test_what_has_no_rows_is_no_table() -> None:
    negotiator = Negotiator(KUBERNETES)
    assert negotiator.shape(f"{TABLE},application/yaml", tabular=False) == Shape("yaml")
    with pytest.raises(StatusError) as refused:
        negotiator.shape(TABLE, tabular=False)
    assert (refused.value.code, refused.value.message) == (406, f"only the following media types are accepted: {KNOWN}")


def test_what_is_remembered_is_limited() -> None:
    negotiator = Negotiator(KUBERNETES)
    for number in range(2 * limits.NEGOTIATIONS):
        assert negotiator.shape(f"application/json;x={number}") == PLAIN
    assert len(negotiator._known) == limits.NEGOTIATIONS
