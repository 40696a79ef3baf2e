"""A short run of what `tests.soak.damage` does for as long as one likes."""

from tests.soak import damage


def test_no_damage_to_the_data_file_is_silent_or_ends_the_process():
    assert damage.main(300, 1).endswith("silent 0, aborts 0")
