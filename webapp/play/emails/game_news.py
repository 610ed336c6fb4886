"""What happened in a game, and what was said at its table, since the recipient of an email last played."""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, partial
from typing import Any, Final

from webapp.kernel.redacted import Redacted
from webapp.kernel.tx import Tx
from webapp.mail.blocks import Block, Heading, MarkedItem, MarkedList, Paragraph, Saying, Talk
from webapp.mail.email import EmailSource
from webapp.play.history import HistoryEntry, history_for, last_own_turn, turns_since_own
from webapp.play.queries import messages, turn_log
from webapp.play.queries.messages import MessageRow
from webapp.play.queries.turn_log import TurnRequest
from webapp.play.queries.turns import TurnRow
from webapp.play.talk.talk import ShownMessage, shown_messages
from webapp.wording.history import narrate
from webapp.wording.perspective import Perspective, player_name

_SEQ_AFTER_EVERY_TURN: Final = 1 << 40
_SEQ_BEFORE_EVERY_TURN: Final = -1
MAX_LISTED_TURNS: Final = 40
"""An email lists no more of the latest turns than this; the table's page has all of them."""
_PARTS_OF_LINKS: Final = re.compile(r"(?<=\w)[.@\u3002\uff0e](?=\w)|:(?=//)")
"""The characters by which mail programs recognize a link: they make links of plain text, too."""
_WORD_JOINER: Final = "\u2060"
"""Invisible; an address that contains one is not made a link."""


class GameNews(Redacted, frozen=True):
    """The recipient's last turn and those since, and the latest table talk that they read."""

    new_turns: Sequence[TurnRow] = ()
    messages: Sequence[MessageRow] = ()
    whole_log: Sequence[TurnRow] = ()
    """All turns of the game, if the email needs them."""

    def entries(self, source: EmailSource[Any], seat: int) -> tuple[HistoryEntry, ...]:
        """Return the turns since the recipient's last one, as their seat may read them."""
        is_revealed = source.game is not None and source.game.is_revealed
        return history_for(turns_since_own(self.new_turns, seat), seat, reveal_all=is_revealed)

    def talk(self, source: EmailSource[Any], seat: int) -> tuple[ShownMessage, ...]:
        """Return what the others have said since the recipient's last turn began: who played it from an email has read nothing later."""
        own_turn = last_own_turn(self.new_turns, seat)
        first_seq = 0 if own_turn is None else own_turn.seq - 1
        account_id = source.notification.account_id
        rows = (
            row for row in self.messages if row.account_id != account_id and row.seq >= first_seq
        )
        return shown_messages(rows, account_id, now=source.now)


def read_game_news(
    tx: Tx, sources: Iterable[EmailSource[Any]], *, with_whole_log: bool = False
) -> dict[int, GameNews]:
    """Return the news for each recipient who has a seat, by the ids of the notifications; the log once for all players of a game."""
    seated = [source for source in sources if _seat_of(source) is not None]
    new_turns = read_new_turns(tx, seated)
    readers = {_game_and_reader(source) for source in seated}
    messages_by_reader = messages.latest_messages_at(tx, readers)
    log_of_game = cache(partial(turn_log.all_turns, tx))
    return {
        source.notification.id: GameNews(
            new_turns.get(source.notification.id, ()),
            messages_by_reader.get(_game_and_reader(source), ()),
            log_of_game(_game_and_reader(source)[0]) if with_whole_log else (),
        )
        for source in seated
    }


def read_new_turns(
    tx: Tx, sources: Iterable[EmailSource[Any]], *, from_first_deal: bool = False
) -> dict[int, Sequence[TurnRow]]:
    """Return the turns in each game from the recipient's last one on, or all of them, by the ids of the notifications."""
    after_seq = _SEQ_BEFORE_EVERY_TURN if from_first_deal else _SEQ_AFTER_EVERY_TURN
    request_by_notification = {
        source.notification.id: TurnRequest(_game_and_reader(source)[0], seat, after_seq)
        for source in sources
        if (seat := _seat_of(source)) is not None
    }
    if not request_by_notification:
        return {}
    new_turns = turn_log.recent_turns(tx, list(request_by_notification.values()))
    return dict(zip(request_by_notification, new_turns, strict=True))


def news_sections(
    entries: Sequence[HistoryEntry], talk: Sequence[ShownMessage], perspective: Perspective
) -> Iterator[Block]:
    """Yield what happened since the recipient's last turn, and then what was said."""
    yield from _latest_turns_section(entries, perspective)
    yield from _talk_section(talk, perspective)


def _latest_turns_section(
    entries: Sequence[HistoryEntry], perspective: Perspective
) -> Iterator[Block]:
    """Yield what happened since the recipient's last turn, oldest first; only the latest turns if there were many."""
    shown_entries = entries[-MAX_LISTED_TURNS:]
    items = tuple(item for entry in shown_entries for item in _turn_items(entry, perspective))
    if not items:
        return
    yield Heading(perspective.language.gettext("Since your last turn"))
    if len(shown_entries) < len(entries):
        yield Paragraph(perspective.language.gettext("Earlier turns are on the table's page."))
    yield MarkedList(items)


def _turn_items(entry: HistoryEntry, perspective: Perspective) -> Iterator[MarkedItem]:
    """Yield the sentences of a turn; the first has the mark of the player."""
    first_sentence, *sentences = narrate(entry, perspective) or ("",)
    if not first_sentence:
        return
    if _is_planned_turn(entry, perspective):
        first_sentence = perspective.language.gettext(
            "Your plan was followed: %(turn)s", turn=first_sentence
        )
    initials = "" if entry.seat is None else perspective.initials(entry.seat)
    yield MarkedItem(first_sentence, entry.seat, initials)
    yield from map(MarkedItem, sentences)


def _is_planned_turn(entry: HistoryEntry, perspective: Perspective) -> bool:
    """Return whether the recipient had planned this turn."""
    return entry.by == "plan" and entry.seat == perspective.me


def _talk_section(messages: Sequence[ShownMessage], perspective: Perspective) -> Iterator[Block]:
    """Yield what was said, each under its author's name; nothing if no one has said anything."""
    if not messages:
        return
    language = perspective.language
    yield Heading(language.gettext("Table talk"))
    yield Talk(
        tuple(
            Saying(
                player_name(message.name, language),
                language.gettext("(removed by a moderator)")
                if message.is_removed
                else without_links(message.text),
            )
            for message in messages
        )
    )


def without_links(text: str) -> str:
    """Return a text in which mail programs recognize no address, though it looks the same."""
    return _PARTS_OF_LINKS.sub(lambda found: found[0] + _WORD_JOINER, text)


def _seat_of(source: EmailSource[Any]) -> int | None:
    if source.game is None or source.notification.seq is None:
        return None
    seat = source.game.row.seat_of(source.notification.account_id)
    return None if seat is None else seat.number


def _game_and_reader(source: EmailSource[Any]) -> tuple[int, int]:
    return source.notification.game_id or 0, source.notification.account_id or 0
