"""What can't be pulled, and how that is told."""

from itertools import pairwise

import pytest

from svcsim.chance import Chance
from svcsim.nodes.images.images import is_reference, registry_of
from svcsim.nodes.images.pull_failures import CATALOGUE, failure_in, name_error, runtime_message
from svcsim.nodes.machines.faults import Faults
from svcsim.nodes.pods.pod_updates import take_in
from tests.nodes.build import NOW, Life, container, pod_object


@pytest.mark.parametrize(
    ("image", "failure"),
    [
        ("nginx:404", "not-found"),
        ("team/web:401", "unauthorized"),
        ("registry.example.com:5000/web:429", "too-many-requests"),
        ("registry.invalid/team/web:1", "no-such-host"),
        ("invalid.com/team/web:1", "no-such-host"),
        ("Invalid.registry.io:5000/web", "no-such-host"),
        ("invalidated.com/team/web:1", ""),
        ("a.b.INVALID:5000/web", "no-such-host"),
        ("999.1.1.1:5000/web:1", "no-such-host"),
        (f"{'a' * 64}.example.com/web:1", "no-such-host"),
        ("host.test/web:1", "no-such-host"),
        ("registry.example:5000/web:1", "no-such-host"),
        (f"{'.'.join(['a' * 50] * 5)}/web:1", "no-such-host"),
        ("[12::99::]:5000/web:1", "no-such-host"),
        ("registry.example.com:65536/web:1", "invalid-port"),
        ("localhost:100000000000/web:1", "invalid-port"),
        ("localhost:0/web:1", "connection-refused"),
        ("registry.example.com:65535/web:1", ""),
        ("registry.localhost:5000/web:1", ""),
        ("test/web:1", ""),
        ("[fd00::1]:5000/web:1", ""),
        ("10.0.0.1:5000/web:1", ""),
        ("localhost/web:1", ""),
        ("invalid/web:1", ""),
        ("web:1.404", ""),
        (f"nginx:404@sha256:{'0' * 64}", ""),
        ("nginx", ""),
    ],
)
def test_the_name_of_an_image_says_whether_it_can_be_pulled(image, failure):
    assert failure_in(image) == failure


@pytest.mark.parametrize(
    "image",
    [
        "nginx",
        "nginx:1.29",
        "docker.io/library/nginx",
        "localhost:5000/a/b__c:t_1",
        f"a@sha256:{'a' * 64}",
        "[fd00::1]:5000/x:1",
        "A.example.com/x",
    ],
)
def test_names_that_are_references(image):
    assert is_reference(image)
    assert name_error(image) == ""


@pytest.mark.parametrize(
    "image", ["nginx:::", "nginx:", "-nginx", "a//b", "nginx@sha256:12", "a b", "x" * 600, "web:ü", "/nginx", "nginx:v1:v2"]
)
def test_names_that_are_none(image):
    assert name_error(image).endswith(f'couldn\'t parse image name "{image}": invalid reference format')


def test_registries_are_told_by_their_dots_and_ports():
    assert [registry_of(image) for image in ("nginx", "a/b", "a.b/c", "a:5000/b", "localhost/b")] == [
        "docker.io", "docker.io", "a.b", "a:5000", "localhost",
    ]  # fmt: skip


@pytest.mark.parametrize("failure", CATALOGUE)
def test_each_failure_is_worded_as_a_runtime_does(failure):
    message = runtime_message("ghcr.io/team/web:2", failure)
    head = 'desc = failed to pull and unpack image "ghcr.io/team/web:2": failed to resolve reference "ghcr.io/team/web:2": '
    assert head in message
    assert "{" not in message


def test_what_is_said_of_an_image_of_docker_hub_and_of_one_by_digest():
    assert runtime_message("nginx:404", "not-found").endswith(
        'reference "docker.io/library/nginx:404": docker.io/library/nginx:404: not found'
    )
    assert 'Head "https://registry-1.docker.io/v2/library/nginx/manifests/1"' in runtime_message("nginx:1", "timeout")
    assert f"/v2/web/manifests/sha256:{'a' * 64}" in runtime_message(f"x.io/web@sha256:{'a' * 64}", "unavailable")
    assert runtime_message("x.io:70000/web:1", "invalid-port").endswith(
        'do request: Head "https://x.io:70000/v2/web/manifests/1": dial tcp: address 70000: invalid port'
    )
    assert runtime_message("x.io:5000/web:1", "connection-refused").endswith("dial tcp 192.0.2.1:5000: connect: connection refused")
    assert runtime_message("nginx:1", "no-such-host").endswith("lookup registry-1.docker.io: no such host")
    assert runtime_message("nginx:1", "the disk is full").endswith(": the disk is full")


def test_a_pull_that_fails_is_tried_again_after_longer_and_longer():
    life = Life(pod_object(container(image="nginx:404"))).until(2000)
    pulls = [at for at, reason, _ in life.told if reason == "Pulling"]
    gaps = [later - earlier for earlier, later in pairwise(pulls)]
    for gap, back_off in zip(gaps, [10, 20, 40, 80, 160, 300, 300, 300], strict=False):
        assert back_off < gap < back_off + 5
    assert life.reasons[:5] == ["Pulling", "Failed", "Failed", "BackOff", "Failed"]
    assert [message for _, _, message in life.told[1:5]] == [
        f'Failed to pull image "nginx:404": {runtime_message("nginx:404", "not-found")}',
        "Error: ErrImagePull",
        'Back-off pulling image "nginx:404"',
        "Error: ImagePullBackOff",
    ]
    waiting = life.state()["state"]["waiting"]
    assert waiting["reason"] == "ImagePullBackOff"
    assert waiting["message"] == f'Back-off pulling image "nginx:404": ErrImagePull: {runtime_message("nginx:404", "not-found")}'
    assert life.phase == "Pending"


def test_the_reason_is_err_image_pull_first():
    life = Life(pod_object(container(image="nginx:404")))
    life.until(next(at for at in (step / 10 for step in range(100)) if "Failed" in life.until(at).reasons))
    assert life.state()["state"]["waiting"]["reason"] == "ErrImagePull"


@pytest.mark.parametrize(
    ("image", "chars"),
    [
        ("a" * 247, 255),
        ("a" * 248, 256),
        (f"registry.example/{'a' * 255}", 255),
        (f"registry.example:5000/{'a' * 255}b@sha256:{'0' * 64}", 256),
    ],
)
def test_a_repository_has_at_most_255_characters(image, chars):
    why = "repository name must not be more than 255 characters"
    assert (why in name_error(image)) == (chars > 255)
    assert bool(name_error(image)) == (chars > 255)


def test_a_name_that_is_none_is_told_as_such_and_another_heals_the_pod():
    life = Life(pod_object(container(image="Nginx:1"))).until(30)
    waiting = life.state()["state"]["waiting"]
    why = "invalid reference format: repository name (library/Nginx) must be lowercase"
    message = f'Failed to apply default image tag "Nginx:1": couldn\'t parse image name "Nginx:1": {why}'
    assert (waiting["reason"], waiting["message"]) == ("InvalidImageName", message)
    assert life.told[0][1:] == ("InspectFailed", message)
    assert life.told[1][1:] == ("Failed", "Error: InvalidImageName")
    life.pod["spec"]["containers"][0]["image"] = "nginx:1"
    take_in(life.run, life.pod, NOW + 30)
    life.until(40)
    assert life.state()["ready"]


def test_what_is_never_pulled_has_to_be_there():
    life = Life(pod_object(container(image="nginx:1", imagePullPolicy="Never"))).until(25)
    assert life.state()["state"]["waiting"]["reason"] == "ErrImageNeverPull"
    assert life.told[0][2] == 'Container image "nginx:1" is not present with pull policy of Never'


def test_a_fault_may_name_a_failure_of_the_catalogue():
    faults = Faults(Chance(0))
    faults.add({"type": "image-pull-failure", "image": "nginx*", "message": "no-such-host"})
    life = Life(pod_object(), faults).until(20)
    assert "dial tcp: lookup registry-1.docker.io: no such host" in life.told[1][2]


def test_a_registry_that_does_not_answer_takes_its_time():
    life = Life(pod_object(annotations={"svcsim.dev/image-pull-failure": "timeout"})).until(60)
    (pulling, *_), (failed, *_) = life.told[:2]
    assert failed - pulling > 30


def mounting_image(reference, policy="IfNotPresent"):
    mount = [{"name": "files", "mountPath": "/files"}]
    volume = {"name": "files", "image": {"reference": reference, "pullPolicy": policy}}
    return Life(pod_object(container(volumeMounts=mount), volumes=[volume]))


def test_an_image_that_is_a_volume_and_cannot_be_pulled_keeps_its_container_from_being_made():
    life = mounting_image("files:404").until(3600)
    waiting = life.state()["state"]["waiting"]
    assert waiting["reason"] == "ImagePullBackOff"
    assert waiting["message"].startswith('Back-off pulling image "files:404": ErrImagePull: rpc error: code = NotFound')
    tries = [moment for moment, _, message in life.told if message == 'Pulling image "files:404"']
    assert all(later - sooner >= 290 for sooner, later in list(pairwise(tries))[-3:]), "longer and longer"
    assert "Created" not in life.reasons


@pytest.mark.parametrize("policy", ["IfNotPresent", "Always"])
def test_an_image_that_is_a_volume_is_pulled_before_its_container_is_made(policy):
    life = mounting_image("files:1", policy).until(60)
    assert "running" in life.state()["state"]
    assert [message for _, reason, message in life.told if reason == "Pulling"] == ['Pulling image "nginx:1.29"', 'Pulling image "files:1"']


def test_an_image_that_is_a_volume_and_is_never_pulled_has_to_be_there():
    life = mounting_image("files:1", "Never").until(60)
    assert life.state()["state"]["waiting"]["reason"] == "ErrImageNeverPull"
