"""Names of container images, as far as defaults depend on them."""

from svcsim.meta.types import Object


def image_tag(image: str) -> str:
    """The tag of an image's name; empty if it is named by digest, ``latest`` if it has neither."""
    name, digest, _ = image.partition("@")
    if digest:
        return ""
    return name.rpartition("/")[2].partition(":")[2] or "latest"


def fill_pull_policy(holder: Object, image: str = "image", policy: str = "imagePullPolicy") -> None:
    """Images tagged ``latest`` are pulled each time, others once."""
    if not holder.get(policy):
        holder[policy] = "Always" if image_tag(holder.get(image) or "") == "latest" else "IfNotPresent"
