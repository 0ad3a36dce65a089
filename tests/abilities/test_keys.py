"""Keys: made at random, kept in files, never shown."""

from tests.abilities.names import Cloak, Key, design, load_key, new_key


def test_file(tmp_path):
    key = new_key()
    key.save(tmp_path / "names.key")
    again = load_key(tmp_path / "names.key")
    one, two = (Cloak(design([3, 2, 1, 1], 2), key=each) for each in (key, again))
    assert one.draw(2, scope="ann") == two.draw(2, scope="ann")
    assert key.reveal() == again.reveal() != new_key().reveal()
    assert (tmp_path / "names.key").stat().st_mode & 0o077 == 0
    assert bytes(32).hex() not in repr(Key(bytes(32)))
