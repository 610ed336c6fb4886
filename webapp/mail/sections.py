"""Sections that several kinds of email share: the table, its players, the position, the legal actions, and acts of moderators."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from typing import NamedTuple

from engine.actions import Action, Break, Discard, Lay, Look, Rockfall, card_of
from engine.cards import Card
from engine.finished_rounds import winning_path
from engine.notation import write_action
from engine.text_drawing import draw_mine
from engine.view import View
from webapp.kernel import urls
from webapp.kernel.i18n import Language
from webapp.kernel.public_acts import ShownAct
from webapp.mail.blocks import (
    ActionMenu,
    Block,
    BulletList,
    Choice,
    DigestList,
    Drawing,
    DrawingLegend,
    Hand,
    HandCard,
    Heading,
    LabelledDigest,
    NumberedList,
    Paragraph,
    PlaceRow,
    SmallLink,
    wrap_sentences,
)
from webapp.mail.email import EmailLocale
from webapp.mail.mime import one_line, plain_line
from webapp.mail.reply_commands import write_command
from webapp.picture.cards import draw_card
from webapp.picture.mine import draw_finished_mine_for_email, draw_mine_for_email
from webapp.picture.palette import EMAIL_PALETTE
from webapp.play.changes.acts import announcement
from webapp.play.summaries import Commitment, SeatSummary, TableSummary
from webapp.wording import times
from webapp.wording.actions import action_name
from webapp.wording.acts import ActFacts, act_sentence, actor_sentence
from webapp.wording.cards import broken_tool_name, card_name, nuggets
from webapp.wording.deadlines import joining_condition_sentence, late_rules_sentence
from webapp.wording.mine import (
    finished_mine_description,
    goal_sentences,
    mine_description,
    winning_path_sentence,
)
from webapp.wording.paces import absence_rule_sentence, pace_sentence
from webapp.wording.perspective import Perspective, perspective_at, with_absences
from webapp.wording.tables import house_rules, rulebook_name, rulebook_summary
from webapp.wording.turns import short_role_reminder


class MenuLinks(NamedTuple):
    """The links with which the actions of a menu are picked, and whether an answer with a command can do the same."""

    base_url: str
    slug: str
    is_answerable: bool
    move_token: str | None = None
    """The token in the links that preview a move; without one they lead to the table."""

    def card_url(self, card: Card) -> str:
        """Return the page on which a card of the hand is picked."""
        return urls.absolute_url(self.base_url, urls.game(self.slug, card=card))

    def choice(self, action: Action, phrase: str, view: View, *, description: str = "") -> Choice:
        """Return an action with its command and its link."""
        path = urls.game_with_action(self.slug, action)
        if self.move_token is not None:
            path = urls.move(self.move_token, do=write_action(action))
        url = urls.absolute_url(self.base_url, path)
        command = write_command(action, view) if self.is_answerable else ""
        return Choice(phrase, command, url, description)


def recipient_perspective(seats: Sequence[SeatSummary], language: Language) -> Perspective:
    """Return the perspective of the recipient, who is "you" if they have one of the seats."""
    perspective = perspective_at(seats, language)
    return replace(perspective, names=tuple(map(plain_line, perspective.names)))


def perspective_with_absences(seats: Sequence[SeatSummary], locale: EmailLocale) -> Perspective:
    """Return the perspective of the recipient who is also shown who is away."""
    perspective = recipient_perspective(seats, locale.language)
    return with_absences(perspective, seats, now=locale.now, zone=locale.zone)


def table_settings_and_players(
    table: TableSummary, seats: Sequence[SeatSummary], language: Language
) -> Iterator[Block]:
    """Yield the settings and the players of a table before the deal."""
    rulebook = rulebook_name(table.rulebook, language)
    settings = (
        language.gettext("Rules: %(rulebook)s.", rulebook=rulebook),
        rulebook_summary(table.rulebook, language),
        *house_rules(table.house, language),
        language.gettext("Pace: %(pace)s.", pace=pace_sentence(table.pace, language)),
        absence_rule_sentence(table.late_rules, language),
        late_rules_sentence(table.late_rules, language),
        _starting_player_text(table, seats, language),
        *filter(None, (joining_condition_sentence(table.late_rules, language),)),
    )
    yield Heading(language.gettext("Game settings"))
    yield BulletList(settings)
    yield Heading(language.gettext("Players"))
    yield NumberedList(tuple(_player_text_before_deal(seat, language) for seat in seats))


def _starting_player_text(
    table: TableSummary, seats: Sequence[SeatSummary], language: Language
) -> str:
    if table.starter is None:
        return language.gettext("Starting player: random.")
    name = one_line(seats[table.starter].name)
    if not name:
        return language.gettext("Starting player: seat %(number)s.", number=table.starter + 1)
    return language.gettext("Starting player: %(name)s.", name=name)


def _player_text_before_deal(seat: SeatSummary, language: Language) -> str:
    if seat.is_free:
        return language.gettext("free seat")
    facts = [language.gettext("bot")] if seat.is_bot else _own_mark(seat, language)
    facts += [language.gettext("added random words")] if seat.has_salt else []
    return _with_details(one_line(seat.name), facts, language)


def fairness_section(commitments: Sequence[Commitment], language: Language) -> Iterator[Block]:
    """Yield the commitments to the secrets of the shuffles."""
    yield Heading(language.gettext("A provably fair deal"))
    yield Paragraph(
        language.gettext(
            "Every shuffle comes from four secrets that were picked when the table was opened. These are their fingerprints (SHA-256). The secrets are revealed after the game, so anyone can check that nothing was changed."
        )
    )
    yield DigestList(
        tuple(LabelledDigest(commitment.label, commitment.digest) for commitment in commitments)
    )


def fairness_link(table: TableSummary, locale: EmailLocale) -> SmallLink:
    """Return the link to all fingerprints of a game."""
    url = urls.absolute_url(locale.base_url, urls.fairness(table.slug))
    return SmallLink(locale.language.gettext("All fingerprints of this game"), url)


def mine_drawing(view: View, language: Language) -> Drawing:
    """Return the picture of the mine."""
    svg = str(draw_mine_for_email(view, EMAIL_PALETTE, language=language))
    return Drawing(draw_mine(view), svg, mine_description(view, language))


def finished_mine_drawing(view: View, language: Language) -> Drawing:
    """Return the mine as a round left it: the winning path is golden in the picture, and a sentence in plain text."""
    path = winning_path(view.mine)
    svg = str(draw_finished_mine_for_email(view, EMAIL_PALETTE, path=path, language=language))
    path_text = wrap_sentences(winning_path_sentence(path, language)) if path else ""
    return Drawing(
        f"{draw_mine(view)}\n{path_text}", svg, finished_mine_description(view, path, language)
    )


def legend(language: Language) -> DrawingLegend:
    """Return what the characters of the drawing in plain text mean."""
    return DrawingLegend(
        language.gettext(
            "Heavy lines are paths connected to the start (S), light lines are not. An x is a dead end, a dot is a place for a path card, and round corners frame the card laid last. Goals are boxed: ? is face down, $ is the treasure, # is stone."
        )
    )


def hand_section(view: View, language: Language, menu: MenuLinks) -> Iterator[Block]:
    """Yield the recipient's role, and the cards of their hand; each leads to the table with this card picked."""
    yield Heading(language.gettext("Your hand"))
    if role_text := short_role_reminder(view, language):
        yield Paragraph(role_text)
    if not view.hand:
        yield Paragraph(language.gettext("Your hand is empty."))
        return
    yield Hand(
        tuple(
            HandCard(
                card_name(card, language),
                card,
                str(draw_card(card, EMAIL_PALETTE, language=language)),
                menu.card_url(card),
            )
            for card in view.hand
        )
    )


def position_section(
    view: View, seats: Sequence[SeatSummary], perspective: Perspective, menu: MenuLinks
) -> Iterator[Block]:
    """Yield what the recipient knows of the position: mine, hand, role, goals, players, deck."""
    yield Heading(perspective.language.gettext("The mine"))
    yield mine_drawing(view, perspective.language)
    yield from hand_section(view, perspective.language, menu)
    yield from table_section(view, seats, perspective)


def table_section(
    view: View, seats: Sequence[SeatSummary], perspective: Perspective
) -> Iterator[Block]:
    """Yield what the recipient knows besides the mine, their hand and their role: players, deck, goals, and how to read the mine."""
    language = perspective.language
    yield Heading(language.gettext("Players"))
    yield NumberedList(tuple(_player_text_in_game(seat, view, perspective) for seat in seats))
    deck_text = language.ngettext(
        "%(num)s card left to draw.", "%(num)s cards left to draw.", view.deck_size
    )
    yield Paragraph(" ".join((deck_text, *goal_sentences(view, language))))
    yield legend(language)


def _player_text_in_game(seat: SeatSummary, view: View, perspective: Perspective) -> str:
    language, name = perspective.language, one_line(seat.name)
    if seat.is_gone:
        return _with_details(name, [language.gettext("left the game")], language)
    gold = view.gold[seat.number]
    away_text = perspective.away_text(seat.number)
    facts = [language.gettext("bot")] if seat.is_bot else _own_mark(seat, language)
    facts += [away_text] if away_text else []
    hand_size = view.hand_sizes[seat.number]
    facts.append(language.ngettext("%(num)s card in hand", "%(num)s cards in hand", hand_size))
    facts += [broken_tool_name(tool, language) for tool in view.broken[seat.number]]
    facts += [nuggets(sum(gold), language)] if gold else []
    return _with_details(name, facts, language)


def _own_mark(seat: SeatSummary, language: Language) -> list[str]:
    return [language.gettext("you")] if seat.is_me else []


def _with_details(name: str, facts: list[str], language: Language) -> str:
    """Return a name with facts in brackets after it, if there are any."""
    if not facts:
        return name
    return language.gettext("%(name)s (%(facts)s)", name=name, facts=", ".join(facts))


def actions_section(
    actions: Sequence[Action], perspective: Perspective, *, view: View, menu: MenuLinks
) -> Iterator[Block]:
    """Yield the legal actions by card, in the order of the hand; what hardly anyone wants comes last."""
    if not actions:
        return
    hand_positions: dict[Card | None, int] = {
        card: position for position, card in reversed([*enumerate(view.hand)])
    }
    actions_by_card = sorted(actions, key=lambda action: hand_positions.get(card_of(action), -1))
    own_breaks = [each for each in actions_by_card if _breaks_own_tool(each, view)]
    discards = [each for each in actions_by_card if isinstance(each, Discard)]
    main_actions = [
        each
        for each in actions_by_card
        if not (isinstance(each, Discard) or _breaks_own_tool(each, view))
    ]
    language = perspective.language
    yield Heading(language.gettext("What you can do"))
    if menu.is_answerable:
        # Someone may send the example as it is: that should not break a tool, least of all their own.
        candidates = (*main_actions, *discards, *own_breaks)
        harmless = (action for action in candidates if not isinstance(action, Break))
        example = write_command(next(harmless, candidates[0]), view)
        yield Paragraph(
            language.gettext(
                "Pick a move, or answer with one line, such as “%(command)s”. “help” lists all commands.",
                command=example,
            )
        )
    for card, card_actions in groupby(main_actions, key=card_of):
        yield _action_menu(card, list(card_actions), perspective, view=view, menu=menu)
    if discards:
        yield _discard_menu(discards, language, view=view, menu=menu)
    if own_breaks:
        yield ActionMenu(
            card=language.gettext("Break your own tool"),
            others=tuple(
                menu.choice(action, action_name(action, perspective, view=view), view)
                for action in own_breaks
            ),
        )


def _breaks_own_tool(action: Action, view: View) -> bool:
    return isinstance(action, Break) and action.seat == view.seat


def _action_menu(
    card: Card | None,
    actions: Sequence[Action],
    perspective: Perspective,
    *,
    view: View,
    menu: MenuLinks,
) -> ActionMenu:
    language = perspective.language
    places = [action for action in actions if isinstance(action, Lay | Rockfall | Look)]
    others = [action for action in actions if action not in places]
    numbers = ", ".join(str(place) for place, each in enumerate(view.hand, 1) if each == card)
    name = card_name(card, language) if card else ""
    return ActionMenu(
        card=f"{numbers}. {name}" if numbers else name,
        rows=tuple(
            PlaceRow(
                _lead(row[0], language, view=view, menu=menu),
                tuple(menu.choice(action, action.cell, view) for action in row),
            )
            for row in (
                [place for place in places if not _lies_turned(place)],
                [place for place in places if _lies_turned(place)],
            )
            if row
        ),
        others=tuple(
            menu.choice(action, action_name(action, perspective, view=view), view)
            for action in others
        ),
    )


def _lies_turned(action: Lay | Rockfall | Look) -> bool:
    return isinstance(action, Lay) and action.turned


def _lead(action: Lay | Rockfall | Look, language: Language, *, view: View, menu: MenuLinks) -> str:
    """Return what precedes the cells of a row: the beginning of their commands, or of a sentence if answers are not read."""
    is_turned = _lies_turned(action)
    if not menu.is_answerable:
        return language.gettext("Turned, at:") if is_turned else language.gettext("At:")
    beginning = write_command(action, view).partition(f" {action.cell}")[0]
    return f"{beginning} turned" if is_turned else beginning


def _discard_menu(
    discards: Sequence[Discard], language: Language, *, view: View, menu: MenuLinks
) -> ActionMenu:
    """Return the numbers of all cards in one row."""
    action_by_card = {action.card: action for action in discards}
    choices = tuple(
        menu.choice(action_by_card[card], str(number), view, description=card_name(card, language))
        for number, card in enumerate(view.hand, 1)
        if card in action_by_card
    )
    lead = "discard" if menu.is_answerable else language.gettext("Card:")
    return ActionMenu(
        card=language.gettext("Discard a card face down"), rows=(PlaceRow(lead, choices),)
    )


def act_text(act: ShownAct, locale: EmailLocale) -> str:
    """Return what was done."""
    offerer = None if act.offerer_name is None else one_line(act.offerer_name)
    text = announcement(act.act, act.before, act.after, offerer=act.offerer_name)
    facts = ActFacts(text, act.seat, one_line(act.name), act.before, act.after, offerer)
    return act_sentence(facts, locale)


def act_actor(act: ShownAct, language: Language) -> str:
    """Return who acted, and as what."""
    name = None if act.actor_name is None else one_line(act.actor_name)
    return actor_sentence(name, act.acted_as, language)


def peeks_section(peeks: Sequence[ShownAct], locale: EmailLocale) -> Iterator[Block]:
    """Yield who looked at all roles and cards, when and why; nothing if no one did."""
    language, zone = locale.language, locale.zone
    if peeks:
        yield Heading(language.gettext("All roles and cards were looked at"))
    for act in peeks:
        act_time = times.absolute_time(act.at, now=locale.now, zone=zone, language=language)
        yield Paragraph(f"{act_actor(act, language)}, {act_time}: {one_line(act.reason)}")


def player_footer(language: Language, *, is_answerable: bool = False) -> str:
    """Return why a player gets an email, and whether it can be answered."""
    if is_answerable:
        return language.gettext("You got this email because you're playing at this table.")
    return language.gettext(
        "You got this email because you're playing at this table. We can't read replies. Please play on the website."
    )


def former_player_footer(language: Language) -> str:
    """Return why someone who no longer plays at the table gets an email."""
    return language.gettext(
        "You got this email because you played at this table. We can't read replies."
    )
