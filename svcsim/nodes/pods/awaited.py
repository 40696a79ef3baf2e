"""The pods that wait for a volume to be attached: they are looked at again as soon as that is said to be so."""

from svcsim.meta.indexed import ObjectKey


class Awaited:
    """By the attachment; a pod waits for one at a time."""

    def __init__(self) -> None:
        self._pods: dict[str, dict[ObjectKey, None]] = {}
        self._by_pod: dict[ObjectKey, str] = {}

    def wait(self, pod: ObjectKey, attachment: str) -> bool:
        """From now on a pod waits for an attachment; False if it did already."""
        if self._by_pod.get(pod) == attachment:
            return False
        self.leave(pod)
        self._by_pod[pod] = attachment
        self._pods.setdefault(attachment, {})[pod] = None
        return True

    def leave(self, pod: ObjectKey) -> None:
        """A pod waits no more."""
        attachment = self._by_pod.pop(pod, None)
        if attachment is not None:
            waiting = self._pods[attachment]
            del waiting[pod]
            if not waiting:
                del self._pods[attachment]

    def take(self, attachment: str) -> list[ObjectKey]:
        """The pods that waited for it; they wait no more."""
        found = list(self._pods.pop(attachment, ()))
        for pod in found:
            del self._by_pod[pod]
        return found

    def take_all(self) -> list[ObjectKey]:
        """All pods that waited."""
        return [pod for attachment in list(self._pods) for pod in self.take(attachment)]
