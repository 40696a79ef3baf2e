"""How a container ended, by what its status says of that, and what it said itself."""

from svcsim import limits
from svcsim.meta.types import Object
from svcsim.printing.why.verdict import sentence

_SIGNALS = {130: "SIGINT", 134: "SIGABRT", 137: "SIGKILL", 139: "SIGSEGV", 143: "SIGTERM"}
_MEANINGS = {126: "the command can't be run", 127: "there is no such command"}
_PLAIN = ("Error", "Completed")
"""Reasons that add nothing to the exit code."""
_BY_ITSELF = (*_PLAIN, "OOMKilled", "")
"""Reasons of containers that have run, so that what is told with them is their own."""
_TOLD = ("ContainerStatusUnknown", "StartError")
"""Reasons whose message is part of how it ended."""


def how_it_ended(ended: Object) -> str:
    """What follows its name in a sentence: ``ended with exit code 1``."""
    code = ended.get("exitCode", 0)
    if ended.get("reason") == "OOMKilled":
        return "was killed because it took more memory than it may (OOMKilled)"
    if ended.get("reason") == "ContainerStatusUnknown":
        return "ended unseen: whether it ran, and how it ended, isn't known (ContainerStatusUnknown)"
    if ended.get("reason") == "StartError":
        why = str(ended.get("message") or "").rpartition("container init: ")[2].removesuffix(": unknown")
        return f"couldn't be started: {why} (StartError)" if why else "couldn't be started (StartError)"
    meaning = _MEANINGS.get(code) or (f"ended by {_SIGNALS[code]}" if code in _SIGNALS else "")
    reason = ended.get("reason", "")
    told = ", ".join(filter(None, (meaning, reason if reason not in _PLAIN else "")))
    return f"ended with exit code {code}{f' ({told})' if told else ''}"


def last_words(ended: Object) -> tuple[str, ...]:
    """What it said of its end, by its termination message or the end of its log: a sentence, if it said anything."""
    words, reason = " ".join(str(ended.get("message") or "").split()), str(ended.get("reason") or "")
    if not words or reason in _TOLD:
        return ()
    longest = limits.WHY_LAST_WORDS
    words = words if len(words) <= longest else f"…{words[-longest:]}"
    return (sentence(f"It said: {words}" if reason in _BY_ITSELF else words),)
