"""Check the record of a finished game of Lodepost: a second verifier, written from docs/game-record.md alone.

    python3 verify_game.py FILE.game [HEAD ...]

A HEAD is a fingerprint of the turns from an email. This program shares no code with Lodepost, so that both would have to be wrong in
the same way. It checks the commitments, the freeze record, every deal, that every card was drawn and held, and the chain of turns. It
does not know the rules of the game; `lodepost verify` checks those too.

Exit status: 0 all is right, 1 something is wrong, 2 the file cannot be read, 3 all is right but the game was not finished.
"""

import hashlib
import hmac
import json
import re
import sys
from itertools import count, islice

LABELS = ("gold", "round-1", "round-2", "round-3")
MAX_FREEZE_RECORD = 8192
GOALS = ["treasure", "stone-tl", "stone-tr"]
GOLD = ["1"] * 16 + ["2"] * 8 + ["3"] * 4
CARDS = """path-trbl 5 path-trb 5 path-rbl 5 path-tb 4 path-rl 3 path-tr 5 path-rb 4
dead-b 1 dead-l 1 dead-tb 1 dead-rl 1 dead-tr 1 dead-rb 1 dead-trb 1 dead-rbl 1 dead-trbl 1
break-pickaxe 3 break-lantern 3 break-cart 3 repair-pickaxe 2 repair-lantern 2 repair-cart 2
repair-pickaxe-lantern 1 repair-pickaxe-cart 1 repair-lantern-cart 1 rockfall 3 map 6""".split()
DECK = [card for card, copies in zip(CARDS[::2], CARDS[1::2]) for _ in range(int(copies))]
SABOTEURS = {3: 1, 4: 1, 5: 2, 6: 2, 7: 3, 8: 3, 9: 3, 10: 4}
HAND_SIZES = {3: 6, 4: 6, 5: 6, 6: 5, 7: 5, 8: 4, 9: 4, 10: 4}


class Unreadable(Exception):
    """The file is not a game record."""


class Wrong(Exception):
    """The record contradicts itself."""


class Record:
    """The parts of a file, still unchecked. Turns are lists of lines."""

    def __init__(self, text):
        self.lines = joined_lines(text)
        self.take("lodepost game 1")
        self.game = read_name(self.take(r"game: (.*)")[1])
        self.rulebook = self.take(r"rulebook: (\S+)")[1]
        house = self.take(r"house: (.+)")[1]
        self.house = [] if house == "none" else house.split(" ")
        starter = self.take(r"starter: (?:chance|seat (\d+))")[1]
        self.starter = int(starter) if starter else 0
        self.seats = [(read_name(match[1]), read_hex(match[2])) for match in self.numbered_seats()]
        self.commitments = [
            self.take(f"commitment {label}: ([0-9a-f]{{64}})")[1] for label in LABELS
        ]
        self.freeze = read_hex(self.take(r"freeze: ([0-9a-f ]+)")[1].replace(" ", ""))
        self.turns = list(self.numbered_turns())
        self.head = self.take(r"head: ([0-9a-f]{64})")[1]
        self.secrets = {
            label: read_hex(self.take(f"secret {label}: ([0-9a-f]{{64}})")[1]) for label in LABELS
        }
        self.take("end")
        if self.lines or len(self.seats) not in HAND_SIZES or len(self.freeze) > MAX_FREEZE_RECORD:
            raise Unreadable(
                "lines after the end, a wrong number of seats, or a freeze record too large"
            )

    def take(self, pattern):
        line = self.lines.pop(0) if self.lines else "(the file ends here)"
        match = re.fullmatch(pattern, line, re.ASCII)
        if match is None:
            raise Unreadable(f"expected {pattern!r}, found {line[:60]!r}")
        return match

    def numbered_seats(self):
        for number in count(1):
            if not (self.lines and self.lines[0].startswith("seat ")):
                return
            yield self.take(rf'seat {number}: (".*") salt (-|[0-9a-f]{{2,128}})')

    def numbered_turns(self):
        for seq in count():
            if not (self.lines and self.lines[0][:1].isdigit()):
                return
            turn = [self.take(rf"{seq} (?:table|seat \d+)(?:: .*)? \(by [a-z]+\)")[0]]
            while self.lines and self.lines[0].startswith("  "):
                turn.append(self.lines.pop(0))
            yield turn


def joined_lines(text):
    lines = []
    for line in text.split("\n"):
        if lines and line.startswith(" " * 6):
            lines[-1] += " " + line[6:]
        elif line.strip():
            lines.append(line)
    return lines


def read_name(text):
    try:
        name = json.loads(text)
        name.encode()
    except (ValueError, AttributeError):
        raise Unreadable(f"{text[:60]!r} is not a name") from None
    return name


def read_hex(digits):
    try:
        return b"" if digits == "-" else bytes.fromhex(digits)
    except ValueError:
        raise Unreadable("an odd number of hexadecimal digits") from None


def u32(number):
    return number.to_bytes(4, "big")


def field(content):
    content = content.encode() if isinstance(content, str) else content
    return u32(len(content)) + content


def sha256(*fields):
    return hashlib.sha256(b"".join(map(field, fields))).digest()


def require(is_right, message):
    if not is_right:
        raise Wrong(message)


def check_commitments(record):
    for label, commitment in zip(LABELS, record.commitments):
        digest = sha256("lodepost commitment 1", record.game, label, record.secrets[label]).hex()
        require(digest == commitment, f"the secret {label} does not match its commitment")


def check_freeze_record(record):
    expected = b"".join((
        field("lodepost freeze 1") + field(record.game) + field(record.rulebook),
        u32(len(record.house)), *map(field, record.house), u32(record.starter),
        *(field(bytes.fromhex(commitment)) for commitment in record.commitments),
        u32(len(record.seats)), *(field(name) + field(salt) for name, salt in record.seats),
    ))  # fmt: skip
    require(record.freeze == expected, "the freeze record differs from the header")


def block(record, label, number):
    secret = record.secrets[label.split("/")[0] if label != "turns" else "gold"]
    message = field(record.freeze) + field(label) + number.to_bytes(8, "big")
    return hmac.new(secret, message, hashlib.sha256).digest()


def random_numbers(record, label):
    for number in count():
        content = block(record, label, number)
        yield from (int.from_bytes(content[start : start + 4], "big") for start in range(0, 32, 4))


def shuffled(record, label, items):
    numbers, items = random_numbers(record, label), list(items)
    for last in range(len(items) - 1, 0, -1):
        limit = 2**32 - 2**32 % (last + 1)
        place = next(number for number in numbers if number < limit) % (last + 1)
        items[place], items[last] = items[last], items[place]
    return items


class Cards:
    """The deck and the hands, followed from event to event."""

    def __init__(self, record):
        self.record = record
        self.deck, self.given_up, self.rounds = [], frozenset(), 0
        self.hands = {}
        self.is_over = False
        self.earlier = []

    def play(self, turn):
        for line in turn[1:]:
            self.apply(line.split())
        hands = {seat: list(hand) for seat, hand in self.hands.items()}
        self.earlier.append((list(self.deck), self.given_up, self.rounds, hands))

    def apply(self, words):
        if words[0] == "dealt":
            self.deal(" ".join(words))
        elif words[:2] == ["rewound", "to"]:
            require(int(words[2]) < len(self.earlier), "a rewind to a turn that was not played")
            deck, self.given_up, self.rounds, hands = self.earlier[int(words[2])]
            self.deck, self.hands = list(deck), {seat: list(hand) for seat, hand in hands.items()}
        elif words[0] == "game-over":
            self.is_over = True
        elif words[0].isdigit():
            self.move_card(int(words[0]), words[1], words[2:])

    def move_card(self, seat, verb, words):
        require(seat in self.hands, f"there is no seat {seat}")
        hand = self.hands[seat]
        if verb == "drew":
            require(self.deck[:1] == words, "a card was drawn that was not on top of the deck")
            hand.append(self.deck.pop(0))
        elif verb == "given-up":
            hand.clear()
            self.given_up |= {seat}
        elif (card := played_card(verb, words)) is not None:
            require(card in hand, f"seat {seat} did not hold {card}")
            hand.remove(card)

    def deal(self, text):
        record, seats = self.record, len(self.record.seats)
        self.rounds += 1
        label, in_play = f"round-{self.rounds}", set(range(1, seats + 1)) - self.given_up
        require(label in LABELS, "a fourth round was dealt")
        role_pile = ["saboteur"] * SABOTEURS[seats] + ["digger"] * (seats + 1 - SABOTEURS[seats])
        roles = shuffled(record, f"{label}/roles", role_pile)
        cards = iter(shuffled(record, f"{label}/deck", DECK))
        self.hands = {
            seat: list(islice(cards, HAND_SIZES[seats] if seat in in_play else 0))
            for seat in range(1, seats + 1)
        }
        self.deck = list(cards)
        parts = [
            f"dealt round {self.rounds} starter {self.starter(text)} roles", *roles[:-1],
            "aside", roles[-1], "goals", *shuffled(record, f"{label}/goals", GOALS),
            "hands", *" / ".join(" ".join(hand) for hand in self.hands.values()).split(),
            "deck", *self.deck,
            *(["pile", *shuffled(record, "gold", GOLD)] if self.rounds == 1 else []),
        ]  # fmt: skip
        require(text == " ".join(parts), f"round {self.rounds} was not dealt as the secrets say")

    def starter(self, text):
        """Return who must start: agreed on or chosen by chance in round 1, and as recorded in the others."""
        if self.rounds > 1:
            return text.split()[4]
        seats = range(1, len(self.record.seats) + 1)
        return self.record.starter or shuffled(self.record, "round-1/starter", seats)[0]


def played_card(verb, words):
    """Return the card that leaves the hand with an event, or None if none does."""
    if verb in {"laid", "discarded"}:
        return words[0]
    if verb == "repaired":
        return f"repair-{words[3] if words[2:3] == ['with'] else words[0]}"
    return {"broke": f"break-{words[0]}" if words else "", "removed": "rockfall", "saw": "map"}.get(
        verb
    )


def heads_of(record):
    head = sha256("lodepost chain 1", record.freeze)
    for seq, turn in enumerate(record.turns):
        text = "".join(f"{line}\n" for line in turn)
        head = sha256("lodepost turn 1", head, block(record, "turns", seq), text)
        yield head.hex()


def check(record, shown_heads):
    """Check everything and return whether the game was played to its end. Raises Wrong."""
    check_commitments(record)
    check_freeze_record(record)
    cards = Cards(record)
    for turn in record.turns:
        require(not cards.is_over, "there is a turn after the end of the game")
        cards.play(turn)
    require(cards.rounds, "no cards were dealt")
    heads = list(heads_of(record))
    require(record.head == heads[-1], "the turns do not match the head in the file")
    for shown_head in shown_heads:
        is_known = any(head.startswith(shown_head) for head in heads)
        require(is_known, f"no turn has the head {shown_head}: this is not the game that was shown")
    return cards.is_over


def main(arguments):
    try:
        with open(arguments[0], encoding="utf-8") as file:
            record = Record(file.read())
        shown_heads = [re.sub(r"[\s-]", "", head).lower() for head in arguments[1:]]
        if not all(re.fullmatch("[0-9a-f]{20,64}", head) for head in shown_heads):
            raise Unreadable("a head has 20 to 64 hexadecimal digits")
        is_finished = check(record, shown_heads)
    except Wrong as flaw:
        print(f"WRONG: {flaw}")
        return 1
    except (IndexError, OSError, ValueError, Unreadable) as error:
        print(f"Cannot read the record: {error}")
        return 2
    print(f"Right: {len(record.turns)} turns, head {record.head}.")
    print("The game was played to its end." if is_finished else "The game was not finished.")
    return 0 if is_finished else 3


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
