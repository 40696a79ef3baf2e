"""Where a pod is looked at quickly first: that nothing is overlooked."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svcsim.dialect import DIALECTS
from svcsim.kinds.core import pod_annotation_rules
from svcsim.kinds.core.pod_qos import qos_class
from svcsim.kinds.shared.pod_spec import warnings
from svcsim.meta.quantity import parse

AMOUNTS = st.dictionaries(
    st.sampled_from(["cpu", "memory", "nvidia.com/gpu"]), st.sampled_from(["0", "0m", "1", "1000m", "1Gi", "1024Mi", "2"])
)


@pytest.mark.parametrize("dialect", DIALECTS.values(), ids=DIALECTS)
def test_what_annotations_are_looked_at_for_stands_in_their_keys(dialect):
    profiles = [
        dialect.key("pod", "seccomp.security.alpha"),
        pod_annotation_rules._seccomp("", dialect),
        pod_annotation_rules._armor("", dialect),
    ]
    assert all(pod_annotation_rules._OF_PROFILES in key for key in profiles)
    warned = [*warnings._DEPRECATED_ANNOTATIONS, *(key for keys in warnings._SECCOMP for key in keys)]
    assert all(warnings._LOOKED_AT in key for key in warned)


@given(
    st.lists(
        st.fixed_dictionaries({}, optional={"name": st.sampled_from(["", "A", "B"]), "value": st.sampled_from(["", "$(A)", "x$(B)"])}),
        max_size=4,
    )
)
def test_variables_that_are_defined_again_are_warned_of_as_by_looking_at_each(env):
    told = list(warnings.warnings_of("spec")({"spec": {"containers": [{"name": "c", "env": env}]}}))
    assert told == list(warnings._hidden_variables(env, "spec.containers[0].env"))


@given(st.lists(st.fixed_dictionaries({}, optional={"requests": AMOUNTS, "limits": AMOUNTS}), min_size=1, max_size=3))
def test_the_quality_of_service_follows_from_the_amounts_however_they_are_spelled(resources):
    def counted(amounts):
        return {name: parse(text) for name, text in (amounts or {}).items() if name in ("cpu", "memory") and parse(text).number > 0}

    limits = [counted(one.get("limits")) for one in resources]
    wanted = [{**limit, **counted(one.get("requests"))} for one, limit in zip(resources, limits, strict=True)]
    if not any(wanted):
        expected = "BestEffort"
    elif all(len(limit) == 2 and limit == want for limit, want in zip(limits, wanted, strict=True)):
        expected = "Guaranteed"
    else:
        expected = "Burstable"
    assert qos_class({"containers": [{"resources": one} for one in resources]}) == expected
