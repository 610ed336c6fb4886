"""Rematches: the players of a finished game play again, with the same people, rules and pace.

The first to press the button opens the table; everyone after them takes a seat there, also if two press at the same time, because
the finished game is locked. The others get an invitation, whose sender is not shown their address.
"""

from collections.abc import Sequence

import msgspec

from engine.rulebook import HouseRules
from webapp.accounts.blocks import is_invitation_sent, may_sit_with
from webapp.accounts.person import Person
from webapp.accounts.recipient_limits import (
    check_newcomer_limit,
    check_unanswered,
    lock_invitations,
    may_be_emailed,
)
from webapp.clubs.access import club_id_for_table
from webapp.kernel.bot_levels import USUAL_LEVEL
from webapp.kernel.game_status import GameStatus
from webapp.kernel.refusals import DenialReason, FieldErrors, NotAllowed
from webapp.kernel.tx import Tx
from webapp.lobby.invitations import (
    Invitee,
    add_invitation,
    check_daily_limit,
    queue_invitation_email,
)
from webapp.lobby.new_table import TableSettings, open_table, table_name_errors
from webapp.lobby.queries import rematches, tables
from webapp.lobby.ready_check import deal_if_all_ready, reload_game, salt_of_seat
from webapp.lobby.seats import SeatWish, lock_game_count, take_seat
from webapp.play.access import GameAccess, LoadedGame, find_game
from webapp.play.bots.bots import bot_names
from webapp.play.queries.rows import SeatRow
from webapp.play.summaries import name_of, names_at


def play_again(tx: Tx, access: GameAccess) -> str:
    """Return the slug of the table of the rematch, at which the viewer now has a seat. Needs the finished game locked.

    Raises NotAllowed for anyone without a seat in the game and before its end, and what ``open_table`` and ``take_seat`` raise.
    """
    game, seat, person = access
    if person is None or seat is None:
        raise NotAllowed(DenialReason.NOT_SEATED)
    if game.status != GameStatus.FINISHED:
        raise NotAllowed(DenialReason.GAME_NOT_OVER)
    slug = rematches.slug_of_rematch(tx, game.row.id)
    if slug is None:
        return _open_rematch(tx, game, person)
    _join_rematch(tx, slug, person, name=game.row.seats[seat].name or "")
    return slug


def _join_rematch(tx: Tx, slug: str, person: Person, *, name: str) -> None:
    """Give the person a seat, under the name they had in the finished game if their present one is taken."""
    table, seat, _ = find_game(tx, slug, person, mode="change")
    if seat is not None:
        return
    try:
        take_seat(tx, table, person)
    except FieldErrors:
        take_seat(tx, table, person, wish=SeatWish(name=name))
    rematches.accept_invitations(tx, table.row.id, person.address, person.id)


def _open_rematch(tx: Tx, game: LoadedGame, host: Person) -> str:
    """Open the table with the host and the bots in their seats, and invite the others; without others, deal the cards."""
    settings = _settings_of_rematch(tx, game, host)
    slug = open_table(tx, host, settings)
    table = find_game(tx, slug, host, mode="change").game
    rematches.set_rematch_of(tx, table.row.id, game.row.id)
    _seat_bots(tx, table, [seat for seat in game.row.seats if seat.is_bot])
    _invite_players(tx, table, host, game.row.seats)
    _deal_if_no_one_else(tx, reload_game(tx, table), host)
    return slug


def _settings_of_rematch(tx: Tx, game: LoadedGame, host: Person) -> TableSettings:
    """Return the settings of the finished game, without its club or name if the host could not choose them.

    The seats are for the same people, so the table is not public and asks for no share of turns in time. The starting
    player is drawn.
    """
    row = game.row
    return TableSettings(
        rulebook=row.rulebook,
        seats=row.seat_count,
        house=msgspec.convert(row.house, HouseRules),
        pace=row.pace,
        public=False,
        club=_club_slug(tx, game, host),
        late_rules=msgspec.structs.replace(row.late_rules, lowest_reliability=0),
        table_name="" if table_name_errors(tx, host, row.table_name) else row.table_name,
    )


def _club_slug(tx: Tx, game: LoadedGame, host: Person) -> str:
    """Return the club of the game, if the host is a member and may open tables there."""
    club = game.row.club_of_viewer
    if club is None:
        return ""
    # The account before the club: a deletion locks them in this order.
    lock_game_count(tx, host)
    try:
        club_id_for_table(tx, host, club.slug)
    except FieldErrors:
        return ""
    return club.slug


def _seat_bots(tx: Tx, table: LoadedGame, bots: Sequence[SeatRow]) -> None:
    """Give seats after the host's to bots with the levels of these, and with their names unless the host's looks like one."""
    host_names = names_at(table.row)
    free_names = set(bot_names(host_names))
    kept_names = {name_of(bot) for bot in bots} & free_names
    new_names = iter(sorted(free_names - kept_names))
    for number, bot in enumerate(bots, start=1):
        name = name_of(bot) if name_of(bot) in kept_names else next(new_names)
        tables.seat_bots(tx, table.row.id, [(number, name)], level=bot.bot_level or USUAL_LEVEL)


def _invite_players(
    tx: Tx,
    table: LoadedGame,
    host: Person,
    seats: Sequence[SeatRow],
) -> None:
    """Email an invitation to the people in these seats of the finished game, except the host and whom the host has blocked.

    One that exceeds a limit, or whose recipient has blocked the host, is stored and not sent: a refusal would tell the host
    something about an address that they don't know. Everyone can also join from the page of the finished game.
    """
    # In any case, so that nothing shows whether an email is sent.
    tx.nudges.add("emails")
    account_ids = {seat.account_id for seat in seats if seat.account_id is not None} - {host.id}
    name_by_id = {seat.account_id: seat.name or "" for seat in seats}
    for player in rematches.players_by_address(tx, account_ids):
        if may_sit_with(tx, host.id, player.account_id):
            invitee = Invitee(player.address, name_by_id[player.account_id])
            _invite(tx, table, host, invitee)


def _invite(
    tx: Tx,
    table: LoadedGame,
    host: Person,
    invitee: Invitee,
) -> None:
    lock_invitations(tx, host, invitee.address)
    is_sent = _is_sent(tx, host, invitee.address)
    invitation_id = add_invitation(tx, table.row.id, host, invitee=invitee)
    if is_sent:
        queue_invitation_email(tx, table.row.id, invitation_id)


def _is_sent(tx: Tx, host: Person, address: str) -> bool:
    try:
        check_unanswered(tx, host, address, is_rematch=True)
        check_daily_limit(tx, host)
        check_newcomer_limit(tx, host)
    except FieldErrors:
        return False
    return is_invitation_sent(tx, address, host, ()) and may_be_emailed(tx, address)


def _deal_if_no_one_else(tx: Tx, table: LoadedGame, host: Person) -> None:
    """Deal the cards if bots have all other seats: there is no one to wait for."""
    if any(seat.is_free for seat in table.row.seats):
        return
    salt = salt_of_seat(tx.tokens.keys, table, host)
    tables.set_ready(tx, table.row.id, 0, salt=salt.encode())
    deal_if_all_ready(tx, reload_game(tx, table))
