"""What has to be known of the first round of mutating plugins in the second: who is asked once more (``reinvocationPolicy: IfNeeded``)."""

from collections.abc import Hashable
from dataclasses import dataclass, field

from svcsim.meta.codec import encode
from svcsim.registry.admission import AdmissionRequest


@dataclass(slots=True)
class Rounds:
    """Those that one plugin asks about a request, webhooks or policies, in both rounds."""

    left: bytes = b""
    """The object as they left it, where one of them wishes to know."""
    asked: dict[Hashable, None] = field(default_factory=dict)
    """Those that wish to see what others change after them."""
    again: dict[Hashable, None] = field(default_factory=dict)
    """Those of them after whom somebody did."""
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
        """Somebody has changed the object."""
        self.again.update(self.asked)
        self.asked.clear()

    def passes_over(self, identity: Hashable, request: AdmissionRequest) -> bool:
        """Whether somebody isn't asked this time."""
        return request.is_reinvocation and identity not in self.again

    def had_asked(self, identity: Hashable, request: AdmissionRequest, *, changed: bool, reinvocable: bool) -> None:
        """Somebody was asked."""
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
