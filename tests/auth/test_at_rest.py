"""What ciphers make of objects, and which configurations there are and aren't."""

import base64
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svcsim.auth.at_rest.at_rest import AtRest, takes_in
from svcsim.auth.at_rest.configuration import EncryptionConfigurationError, read_rules
from svcsim.auth.at_rest.providers import AesCbc, AesGcm, DecryptionError, SecretBox
from svcsim.meta.types import Key
from svcsim.storage.contract import CorruptError

V1 = "apiserver.config.k8s.io/v1"
KEY = Key("secrets", "default", "a")
OTHER = Key("secrets", "default", "b")
SECRET = bytes(range(32))


def base(content=SECRET):
    return base64.b64encode(content).decode()


def keys(*names, secret=SECRET):
    return {"keys": [{"name": name, "secret": base(secret)} for name in names]}


def configuration(*blocks, **other):
    resources = [{"resources": list(resources), "providers": list(providers)} for resources, providers in blocks]
    return json.dumps({"apiVersion": V1, "kind": "EncryptionConfiguration", "resources": resources, **other}).encode()


def at_rest(*blocks):
    return AtRest(read_rules(configuration(*blocks), V1))


@pytest.mark.parametrize("make", [AesCbc, AesGcm, SecretBox])
@given(text=st.binary(max_size=200))
def test_what_is_encrypted_comes_back_and_shows_nothing(make, text):
    if make is SecretBox:
        pytest.importorskip("nacl")
    cipher = make(SECRET)
    stored = cipher.encrypted(KEY, text)
    assert cipher.decrypted(KEY, stored) == text
    assert cipher.encrypted(KEY, text) != stored, "never the same twice"
    assert len(text) < 8 or text not in stored


@pytest.mark.parametrize("make", [AesCbc, AesGcm, SecretBox])
def test_what_is_no_good_is_refused(make):
    if make is SecretBox:
        pytest.importorskip("nacl")
    stored = make(SECRET).encrypted(KEY, b"a text")
    for spoiled in (b"", b"x", stored[:15], stored[:-1], stored[:-1] + bytes([stored[-1] ^ 1])):
        if make is AesCbc and len(spoiled) == len(stored):
            continue
        with pytest.raises(DecryptionError):
            make(SECRET).decrypted(KEY, spoiled)
    if make is not AesCbc:
        with pytest.raises(DecryptionError):
            make(bytes(32)).decrypted(KEY, stored)


def test_the_ciphers_are_those_that_others_know():
    nonce, text = bytes(range(24)), b"attack at dawn"
    box = pytest.importorskip("nacl.bindings").crypto_secretbox(text, nonce, SECRET)
    assert SecretBox(SECRET).decrypted(KEY, nonce + box) == text
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    sealed = AESGCM(SECRET).encrypt(nonce[:12], text, b"secrets/default/a")
    assert AesGcm(SECRET).decrypted(KEY, nonce[:12] + sealed) == text


def test_an_object_under_another_name_is_not_taken_for_that_one():
    one = at_rest((["secrets"], [{"aesgcm": keys("k1")}]))
    stored = one.to_disk(KEY, b"{}")
    assert one.from_disk(KEY, stored) == b"{}"
    with pytest.raises(CorruptError, match='can\'t be decrypted with the aesgcm key "k1"'):
        one.from_disk(OTHER, stored)


def test_the_first_provider_writes_and_any_reads():
    old = at_rest((["secrets"], [{"aescbc": keys("k1")}, {"identity": {}}]))
    new = at_rest((["secrets"], [{"aescbc": keys("k2", secret=bytes(32))}, {"aesgcm": keys("k3")}, {"aescbc": keys("k1")}]))
    stored = old.to_disk(KEY, b"{}")
    assert stored.startswith(b"enc:aescbc:v1:k1:")
    assert new.from_disk(KEY, stored) == old.from_disk(KEY, stored) == b"{}"
    assert (new.is_stale(KEY, stored), old.is_stale(KEY, stored)) == (True, False)
    assert old.from_disk(KEY, b'{"a":1}') == b'{"a":1}'
    assert old.is_stale(KEY, b"{}")
    with pytest.raises(CorruptError, match="it isn't encrypted, and --encryption-provider-config has no provider identity for secrets"):
        new.from_disk(KEY, b"{}")
    with pytest.raises(CorruptError, match='it is encrypted with the aescbc key "k2"'):
        old.from_disk(KEY, new.to_disk(KEY, b"{}"))
    without = at_rest((["secrets"], [{"identity": {}}, {"aescbc": keys("k1")}]))
    assert without.to_disk(KEY, b"{}") == b"{}"
    assert (without.is_stale(KEY, b"{}"), without.is_stale(KEY, stored)) == (False, True)


def test_the_first_rule_that_takes_a_resource_in_counts():
    one = at_rest(
        (["secrets"], [{"aescbc": keys("k1")}]),
        (["configmaps", "*.apps"], [{"identity": {}}]),
        (["*."], [{"aesgcm": keys("k2")}]),
        (["*.*"], [{"aesgcm": keys("k3")}]),
    )

    def written(resource):
        return one.to_disk(Key(resource, "", "x"), b"{}").partition(b":v1:")[2][:2]

    names = ("secrets", "configmaps", "deployments.apps", "pods", "leases.coordination.k8s.io")
    assert [written(name) for name in names] == [b"k1", b"", b"", b"k2", b"k3"]
    assert not at_rest((["secrets"], [{"identity": {}}])).concerns("pods")
    assert not takes_in("*.apps", "secrets")
    assert not takes_in("*.", "deployments.apps")


GOOD = (["secrets"], [{"identity": {}}])


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "one EncryptionConfiguration is needed, there are 0"),
        (b"a: [", "line"),
        (configuration(GOOD, kind="Config"), f"it has to be apiVersion: {V1}, kind: EncryptionConfiguration, not {V1}, Config"),
        (configuration(GOOD, apiVersion="v1"), "not v1, EncryptionConfiguration"),
        (configuration(GOOD, more=1), "the configuration: unknown field more"),
        (configuration(), "resources: a list with something in it is needed"),
        (configuration(([], [{"identity": {}}])), "resources[0].resources: a list with something in it is needed"),
        (configuration((["secrets"], [])), "resources[0].providers: a list with something in it is needed"),
        (configuration((["*"], [{"identity": {}}])), "use *. for all resources of the core group, or *.* for all there are"),
        (configuration((["pods/status"], [{"identity": {}}])), "pods/status is a subresource"),
        (configuration((["Secrets"], [{"identity": {}}])), "Secrets is no resource: they are in lower case"),
        (configuration((["a b"], [{"identity": {}}])), "a b is no resource"),
        (configuration(([7], [{"identity": {}}])), "a resource is needed, such as secrets"),
        (configuration(GOOD, GOOD), "secrets stands there more than once, and only the first counts"),
        (configuration((["*.*", "secrets"], [{"identity": {}}])), "secrets never counts: *.* takes it in and stands before it"),
        (configuration((["*."], [{"identity": {}}]), GOOD), "secrets never counts: *. takes it in and stands before it"),
        (configuration((["*.*", "*.apps"], [{"identity": {}}])), "*.apps never counts: *.* takes it in"),
        (configuration((["secrets"], [{"identity": {}, "aescbc": {}}])), "one provider is needed"),
        (configuration((["secrets"], [{"identity": {"a": 1}}])), "it takes no settings"),
        (configuration((["secrets"], [{"kms": {}}])), "svcsim asks no key management service"),
        (configuration((["secrets"], [{"rot13": {}}])), "rot13: no such provider"),
        (configuration((["secrets"], [{"aescbc": {"keys": []}}])), "aescbc.keys: a list with something in it is needed"),
        (configuration((["secrets"], [{"aescbc": {"keys": [{"name": "", "secret": base()}]}}])), "name: a name is needed"),
        (configuration((["secrets"], [{"aescbc": {"keys": [{"name": "a:b", "secret": base()}]}}])), "without a colon"),
        (configuration((["secrets"], [{"aescbc": {"keys": [{"name": "a", "secret": "***"}]}}])), "the key is needed, in base64"),
        (configuration((["secrets"], [{"aescbc": {"keys": [{"name": "a"}]}}])), "the key is needed, in base64"),
        (
            configuration((["secrets"], [{"aesgcm": keys("a", secret=b"canary-canary")}])),
            "secret: aesgcm takes a key of 16, 24 or 32 bytes, this one has 13",
        ),
        (
            configuration((["secrets"], [{"secretbox": keys("a", secret=bytes(16))}])),
            "secret: secretbox takes a key of 32 bytes, this one has 16",
        ),
    ],
)
def test_a_configuration_that_is_no_good_is_told_of_in_one_line_that_shows_no_key(content, said):
    with pytest.raises(EncryptionConfigurationError) as caught:
        read_rules(content, V1)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)
    assert base(b"canary-canary") not in str(caught.value)
