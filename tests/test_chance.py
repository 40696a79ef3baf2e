"""Chance that a seed repeats."""

import uuid

from svcsim.chance import NAME_ALPHABET, Chance


def test_the_same_seed_gives_the_same_again_and_another_gives_another() -> None:
    first, again, other = Chance(42), Chance(42), Chance(43)
    drawn = [first.uid(), first.suffix(), first.uniform(0, 1), first.integer(1, 6), first.exponential(2.0), first.choice("abc")]
    assert drawn == [again.uid(), again.suffix(), again.uniform(0, 1), again.integer(1, 6), again.exponential(2.0), again.choice("abc")]
    assert other.uid() != drawn[0]
    assert Chance().seed != Chance().seed


def test_a_fork_doesnt_mind_what_others_draw() -> None:
    quiet, busy = Chance(1), Chance(1)
    for _ in range(10):
        busy.uid()
    assert quiet.fork("nodes").uid() == busy.fork("nodes").uid()
    assert quiet.fork("nodes").uid() != quiet.fork("scheduler").uid()


def test_uids_are_version_4_and_suffixes_spell_nothing() -> None:
    chance = Chance(7)
    drawn = [uuid.UUID(chance.uid()) for _ in range(100)]
    assert {uid.version for uid in drawn} == {4}
    assert {uid.variant for uid in drawn} == {uuid.RFC_4122}
    assert len(set(drawn)) == 100
    assert all(set(chance.suffix()) <= set(NAME_ALPHABET) for _ in range(100))
