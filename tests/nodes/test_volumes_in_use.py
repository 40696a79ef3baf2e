"""The volumes that a machine's pods use."""

from svcsim.nodes.machines.volumes_in_use import VolumesInUse


def test_each_is_told_once_and_whoever_asked_hears_only_of_what_changes():
    volumes, heard = VolumesInUse(), []
    volumes.on_change = lambda: heard.append(volumes.names())
    volumes.take("u1", ["b", "a"])
    volumes.take("u2", ["a"])
    volumes.take("u3", [])
    volumes.release("u1")
    volumes.release("u1")
    volumes.release("u2")
    assert heard == [["a", "b"], ["a"], []]
    assert volumes.are_known("u3")
    volumes.release("u3")
    assert not volumes.are_known("u3"), "nothing is kept of pods that are gone"
