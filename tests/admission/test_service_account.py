"""The ServiceAccount plugin: the account of a pod, what comes with it, and what a pod may not have."""

import pytest

from svcsim import limits
from svcsim.client.api import Collection
from svcsim.cluster.admission_spec import AdmissionSpec
from svcsim.dialect import DIALECTS
from svcsim.meta.errors import StatusError
from svcsim.meta.types import Json, Object
from tests.living import pod
from tests.registry.asking import Asking, asking

pytestmark = [pytest.mark.virtual_time, pytest.mark.parametrize("dialect", list(DIALECTS))]


def pods_of(asked: Asking, namespace: str = "default") -> Collection:
    return asked.cluster.client("test").resource("v1", "pods", namespace)


async def account(asked: Asking, name: str = "robot", **fields: Json) -> None:
    accounts = asked.cluster.client("test").resource("v1", "serviceaccounts", "default")
    await accounts.create({"metadata": {"name": name, **fields.pop("metadata", {})}, **fields})


def volumes(obj: Object) -> list[Object]:
    return obj["spec"].get("volumes") or []


def unplaced(name: str) -> Object:
    """A pod that doesn't say in which namespace."""
    made = pod(name)
    del made["metadata"]["namespace"]
    return made


async def refusal(asked: Asking, obj: Object, namespace: str = "default") -> str:
    with pytest.raises(StatusError) as refused:
        await pods_of(asked, namespace).create(obj)
    assert (refused.value.code, refused.value.reason) == (403, "Forbidden")
    return refused.value.message.removeprefix(f'pods "{obj["metadata"]["name"]}" is forbidden: ')


async def test_all_containers_have_a_token_the_authority_and_the_namespace(dialect: str):
    async with asking(dialect=dialect) as asked:
        init = {"name": "first", "image": "a"}
        made = await pods_of(asked).create(pod("a", initContainers=[init]))
        words = asked.cluster.dialect
        [volume] = volumes(made)
        assert volume["name"].startswith({"svcapi": "svc-api-access-", "kubernetes": "kube-api-access-"}[dialect])
        assert len(volume["name"].rpartition("-")[2]) == 5
        assert volume["projected"] == {
            "defaultMode": 420,
            "sources": [
                {"serviceAccountToken": {"expirationSeconds": 3607, "path": "token"}},
                {"configMap": {"name": words.root_ca_config_map, "items": [{"key": "ca.crt", "path": "ca.crt"}]}},
                {"downwardAPI": {"items": [{"path": "namespace", "fieldRef": {"apiVersion": "v1", "fieldPath": "metadata.namespace"}}]}},
            ],
        }
        mount = {"name": volume["name"], "readOnly": True, "mountPath": f"/var/run/secrets/{words.domain}/serviceaccount"}
        for container in (*made["spec"]["initContainers"], *made["spec"]["containers"]):
            assert container["volumeMounts"] == [mount]


async def test_pods_of_an_account_and_a_template_are_alike(dialect: str):
    """The volume of another account has another name."""
    async with asking(dialect=dialect) as asked:
        one, other = await pods_of(asked).create(pod("a")), await pods_of(asked).create(pod("b"))
        assert one["spec"] == other["spec"]
        await account(asked, "second")
        [of_another] = volumes(await pods_of(asked).create(pod("c", serviceAccountName="second")))
        assert of_another["name"] != volumes(one)[0]["name"]


async def test_a_container_keeps_what_it_has_in_that_place(dialect: str):
    async with asking(dialect=dialect) as asked:
        path = f"/var/run/secrets/{asked.cluster.dialect.domain}/serviceaccount"
        given = pod("a", volumes=[{"name": "own", "emptyDir": {}}])
        given["spec"]["containers"][0]["volumeMounts"] = [{"name": "own", "mountPath": path}]
        made = await pods_of(asked).create(given)
        assert [volume["name"] for volume in volumes(made)] == ["own"]
        copied = await pods_of(asked).create(pod("b"))
        again = {"metadata": {"name": "c"}, "spec": copied["spec"]}
        assert volumes(await pods_of(asked).create(again)) == volumes(copied)


@pytest.mark.parametrize(("of_pod", "of_account", "mounted"), [(None, False, False), (True, False, True), (False, True, False)])
async def test_a_pod_or_its_account_may_decline_and_the_pod_has_the_last_word(dialect: str, of_pod: Json, of_account: Json, mounted: bool):
    async with asking(dialect=dialect) as asked:
        await account(asked, automountServiceAccountToken=of_account)
        said = {} if of_pod is None else {"automountServiceAccountToken": of_pod}
        made = await pods_of(asked).create(pod("a", serviceAccountName="robot", **said))
        assert bool(volumes(made)) == mounted


async def test_secrets_for_pulling_come_from_the_account_where_the_pod_has_none(dialect: str):
    async with asking(dialect=dialect) as asked:
        await account(asked, imagePullSecrets=[{"name": "registry"}])
        made = await pods_of(asked).create(pod("a", serviceAccountName="robot"))
        assert made["spec"]["imagePullSecrets"] == [{"name": "registry"}]
        own = await pods_of(asked).create(pod("b", serviceAccountName="robot", imagePullSecrets=[{"name": "own"}]))
        assert own["spec"]["imagePullSecrets"] == [{"name": "own"}]


async def test_an_account_has_to_be_there(dialect: str):
    async with asking(dialect=dialect) as asked:
        why = 'error looking up service account default/robot: serviceaccount "robot" not found'
        assert await refusal(asked, pod("a", serviceAccountName="robot")) == why


async def test_a_pod_waits_a_moment_for_the_default_account_of_its_namespace(dialect: str):
    async with asking(dialect=dialect) as asked:
        client = asked.cluster.client("test")
        await client.resource("v1", "namespaces").create({"metadata": {"name": "new"}})
        made = await pods_of(asked, "new").create(unplaced("a"))
        assert made["spec"]["serviceAccountName"] == "default"


async def test_and_no_longer(dialect: str):
    async with asking(dialect=dialect, admission=AdmissionSpec(disable=("NamespaceLifecycle",))) as asked:
        began = asked.cluster.clock.now()
        why = 'error looking up service account none/default: serviceaccount "default" not found'
        assert await refusal(asked, unplaced("a"), "none") == why
        assert asked.cluster.clock.now() - began == pytest.approx(limits.DEFAULT_ACCOUNT_WAIT_S, abs=0.1)


def with_secret(where: str) -> Object:
    """A pod that refers to the secret ``hidden``."""
    variable = {"name": "PASSWORD", "valueFrom": {"secretKeyRef": {"name": "hidden", "key": "k"}}}
    container: Object = {"name": "first", "image": "a"}
    given: Object = {
        "volume": {"volumes": [{"name": "v", "secret": {"secretName": "hidden"}}]},
        "env": {"containers": [{**container, "env": [variable]}]},
        "init env": {"initContainers": [{**container, "env": [variable]}]},
        "envFrom": {"containers": [{**container, "envFrom": [{"secretRef": {"name": "hidden"}}]}]},
        "pull": {"imagePullSecrets": [{"name": "hidden"}]},
    }
    return pod("a", serviceAccountName="robot", **given[where])


@pytest.mark.parametrize(
    ("where", "said"),
    [
        ("volume", 'volume with secret.secretName="hidden"'),
        ("env", 'container first with envVar PASSWORD referencing secret.secretName="hidden"'),
        ("init env", 'init container first with envVar PASSWORD referencing secret.secretName="hidden"'),
        ("envFrom", 'container first with envFrom referencing secret.secretName="hidden"'),
        ("pull", 'imagePullSecrets[0].name="hidden"'),
    ],
)
async def test_an_account_may_keep_its_pods_from_secrets_it_does_not_list(dialect: str, where: str, said: str):
    async with asking(dialect=dialect) as asked:
        key = asked.cluster.dialect.key("enforce-mountable-secrets")
        await account(asked, metadata={"annotations": {key: "true"}}, secrets=[{"name": "listed"}])
        kind = "imagePullSecret" if where == "pull" else "secret"
        why = f"{said} is not allowed because service account robot does not reference that {kind}"
        assert await refusal(asked, with_secret(where)) == why
        await account(asked, "liberal", metadata={"annotations": {key: "false"}})
        allowed = with_secret(where)
        allowed["spec"]["serviceAccountName"] = "liberal"
        await pods_of(asked).create(allowed)


async def test_containers_that_come_later_may_not_have_them_either(dialect: str):
    async with asking(dialect=dialect) as asked:
        key = asked.cluster.dialect.key("enforce-mountable-secrets")
        await account(asked, metadata={"annotations": {key: "true"}})
        await pods_of(asked).create(pod("a", serviceAccountName="robot"))
        variable = {"name": "PASSWORD", "valueFrom": {"secretKeyRef": {"name": "hidden", "key": "k"}}}
        change = {"spec": {"ephemeralContainers": [{"name": "late", "image": "a", "env": [variable]}]}}
        with pytest.raises(StatusError) as refused:
            await pods_of(asked).patch("a", change, "strategic", subresource="ephemeralcontainers")
        assert refused.value.code == 403
        said = 'ephemeral container late with envVar PASSWORD referencing secret.secretName="hidden" is not allowed because'
        assert f"{said} service account robot does not reference that secret" in refused.value.message


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"serviceAccountName": "default"}, "a mirror pod may not reference service accounts"),
        ({"volumes": [{"name": "v", "secret": {"secretName": "s"}}]}, "a mirror pod may not reference secrets"),
        (
            {"volumes": [{"name": "v", "projected": {"sources": [{"serviceAccountToken": {"path": "token"}}]}}]},
            "a mirror pod may not use ServiceAccountToken volume projections",
        ),
    ],
)
async def test_a_mirror_pod_has_no_account(dialect: str, fields: Object, said: str):
    async with asking(dialect=dialect) as asked:
        mirror = {asked.cluster.dialect.key("config.mirror"): "x"}

        def given(name: str, **spec: Json) -> Object:
            made = pod(name, nodeName="n", **spec)
            made["metadata"]["annotations"] = mirror
            return made

        assert await refusal(asked, given("a", **fields)) == said
        plain = await pods_of(asked).create(given("b"))
        assert "serviceAccountName" not in plain["spec"]
        assert volumes(plain) == []


async def test_the_volumes_name_follows_from_the_seed(dialect: str):
    names = []
    for _ in range(2):
        async with asking(dialect=dialect) as asked:
            names.append(volumes(await pods_of(asked).create(pod("a")))[0]["name"])
    assert names[0] == names[1]
