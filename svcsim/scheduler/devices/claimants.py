"""The pods that wait for a place and have claims on devices, found by claim: the only ones that a change of a claim is news for."""

from svcsim.scheduler.pod import PodInfo


class Claimants:
    """Keys of pods."""

    def __init__(self) -> None:
        self.pods: dict[str, tuple[str, ...]] = {}
        """By pod, its claims."""
        self._by_claim: dict[str, dict[str, None]] = {}

    def note(self, pod: PodInfo) -> None:
        """A pod waits, with these claims."""
        claims = tuple(f"{pod.namespace}/{used.claim}" for used in pod.devices if used.claim)
        if self.pods.get(pod.key) != claims:
            self.forget(pod.key)
            self.pods[pod.key] = claims
            for claim in claims:
                self._by_claim.setdefault(claim, {})[pod.key] = None

    def forget(self, key: str) -> None:
        """A pod is gone, or waits no longer."""
        for claim in self.pods.pop(key, ()):
            there = self._by_claim.get(claim, {})
            there.pop(key, None)
            if not there:
                self._by_claim.pop(claim, None)

    def of(self, claim: str) -> list[str]:
        """The pods that wait with a claim."""
        return list(self._by_claim.get(claim, ()))
