"""The characters of the tests. Alice hosts, Bob and Carol play, Dave and Erin play elsewhere, Mallory is a stranger, Mo moderates."""

from typing import NamedTuple


class Character(NamedTuple):
    name: str
    address: str
    zone: str = "Europe/Riga"
    language: str = "en"

    @property
    def browser(self) -> str:
        """The random key in the cookie of the character's browser."""
        return f"browser-of-{self.name.lower()}-0123456789abcdef"


ALICE = Character("Alice", "alice@example.test")
BOB = Character("Bob", "bob@example.test", "Europe/Kyiv")
CAROL = Character("Carol", "carol@example.test", "America/New_York")
DAVE = Character("Dave", "dave@example.test", "Asia/Tokyo")
ERIN = Character("Erin", "erin@example.test")
MALLORY = Character("Mallory", "mallory@example.test", "UTC")
MO = Character("Mo", "mo@example.test", "Europe/Stockholm")
