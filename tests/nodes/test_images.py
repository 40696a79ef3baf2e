"""Image names, sizes, and what a node has already."""

import pytest

from svcsim.nodes.images.images import ImageStore, base_name, default_pull_policy, full_name, image_id, size_bytes

NAMES = {
    "nginx": "docker.io/library/nginx:latest",
    "nginx:1.29": "docker.io/library/nginx:1.29",
    "bitnami/redis": "docker.io/bitnami/redis:latest",
    "registry.example:5000/team/web:v1": "registry.example:5000/team/web:v1",
    "localhost/web": "localhost/web:latest",
    "quay.io/app@sha256:abc": "quay.io/app@sha256:abc",
}


@pytest.mark.parametrize(("short", "full"), NAMES.items(), ids=NAMES.keys())
def test_a_short_name_stands_for_a_full_one(short, full):
    assert full_name(short) == full


def test_an_image_is_known_by_the_last_part_of_its_name():
    assert base_name("registry.example:5000/team/web:v1") == "web"
    assert base_name("nginx") == "nginx"


def test_size_and_digest_are_the_same_for_the_same_image_always():
    assert size_bytes("nginx") == size_bytes("docker.io/library/nginx:latest")
    assert image_id("nginx") == image_id("nginx:latest") != image_id("nginx:1.29")


def test_only_latest_is_always_pulled():
    assert [default_pull_policy(image) for image in ("nginx", "nginx:latest", "nginx:1.29", "nginx@sha256:abc")] == [
        "Always",
        "Always",
        "IfNotPresent",
        "IfNotPresent",
    ]


def test_the_first_pull_takes_seconds_and_the_next_is_a_check():
    store = ImageStore()
    first = store.pull("nginx", 100.0, 0.5)
    assert 0.4 <= first.takes_s <= 3.0
    assert not store.has("nginx", first.done_at - 0.1)
    assert store.has("nginx:latest", first.done_at)
    assert store.pull("nginx", 200.0, 0.5).takes_s < 0.6


def test_a_pull_of_what_is_being_pulled_waits_for_it():
    store = ImageStore()
    first = store.pull("mysql", 100.0, 0.5)
    second = store.pull("mysql", 100.1, 0.5)
    assert second.done_at > first.done_at
    assert second.waits_s > second.takes_s
