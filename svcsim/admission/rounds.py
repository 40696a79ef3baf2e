"""What has to be known of the first round of mutating plugins in the second: who is asked once more (``reinvocationPolicy: IfNeeded``)."""

from collections.abc import Hashable
from dataclasses import dataclass, field

from svcsim.meta.codec import encode
from svcsim.registry.admission import AdmissionRequest


@dataclass(slots=True)
class Rounds:
    """The webhooks or policies that one plugin calls for a request, in both rounds."""

    left: bytes = b""
    """The object as they left it, where one of them wishes to know."""
    asked: dict[Hashable, None] = field(default_factory=dict)
    """Those that have asked to see later changes of others."""
    again: dict[Hashable, None] = field(default_factory=dict)
    """Those of them after which another one has changed the object."""
    has_changed: bool = False
    """Whether one of them has changed the object."""

    @classmethod
    def of(cls, request: AdmissionRequest, plugin: str) -> "Rounds":
        """What a plugin knows of a request when it is asked about it, for the first time or the second."""
        rounds: Rounds = request.notes.setdefault(plugin, cls())
        if request.is_reinvocation and rounds.asked and encode(request.obj) != rounds.left:
            rounds.changed()
        return rounds

    def changed(self) -> None:
        """Record that a webhook or policy has changed the object."""
        self.again.update(self.asked)
        self.asked.clear()

    def passes_over(self, identity: Hashable, request: AdmissionRequest) -> bool:
        """Whether a webhook or policy isn't called in this round."""
        return request.is_reinvocation and identity not in self.again

    def had_asked(self, identity: Hashable, request: AdmissionRequest, *, changed: bool, reinvocable: bool) -> None:
        """Record that a webhook or policy was called."""
        if changed:
            self.has_changed = True
            self.changed()
            request.reinvoke()
        if reinvocable:
            self.asked[identity] = None

    def end(self, request: AdmissionRequest) -> None:
        """All have been asked."""
        if self.asked:
            self.left = encode(request.obj)
