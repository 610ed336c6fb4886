"""The content of each kind of email: one function per kind, from the recipient's context to finished sentences."""

from collections.abc import Callable
from typing import Any, Final

from engine.view import View
from webapp import urls
from webapp.mail import (
    account_contents,
    club_contents,
    late_player_contents,
    lobby_contents,
    proof_sections,
    sanction_contents,
)
from webapp.mail.blocks import (
    Block,
    Button,
    EmailContent,
    Heading,
    Notice,
    NumberedList,
    Paragraph,
    Title,
)
from webapp.mail.briefing_contents import briefing_content
from webapp.mail.mime import one_line
from webapp.mail.moderated_game_contents import (
    act_actor,
    moderator_act_content,
    peeks_section,
    player_left_content,
    table_cancelled_content,
)
from webapp.mail.open_seats_content import open_seats_content
from webapp.mail.outage_contents import deadlines_moved_content
from webapp.mail.result_sections import final_gold_list, round_share_list
from webapp.mail.seat_offer_contents import seat_offer_content
from webapp.mail.sections import (
    EmailLocale,
    actions_section,
    fairness_section,
    game_subject,
    latest_turns_section,
    mine_section,
    perspective_with_absences,
    plan_section,
    player_footer,
    position_section,
    recipient_perspective,
    table_settings_and_players,
)
from webapp.mail.time_section import turn_time_section
from webapp.mail.vote_contents import vote_ended_content, vote_opened_content
from webapp.services.email_kinds import NotificationKind
from webapp.services.notifications.email_context import (
    DealtContext,
    EmailContext,
    GameOverContext,
    InvitationContext,
    RoundOverContext,
    TurnContext,
)
from webapp.services.play.summaries import TableSummary
from webapp.wording import times
from webapp.wording.people import (
    awaiting_sentence,
    game_sentence,
    late_sentence,
    round_sentence,
    what_to_do_sentence,
)
from webapp.wording.perspective import Perspective


def content_of(context: EmailContext, locale: EmailLocale) -> EmailContent:
    """Return what an email says, in the recipient's language and from the recipient's point of view."""
    return _CONTENT_BY_KIND[context.envelope.kind](context, locale)


def invitation_content(context: InvitationContext, locale: EmailLocale) -> EmailContent:
    language, inviter = locale.language, one_line(context.host)
    link = urls.absolute_url(locale.base_url, urls.invitation(context.token))
    return EmailContent(
        subject=game_subject(context.table, language),
        preview=language.gettext("There's a seat for you."),
        blocks=(
            Title(
                language.gettext("%(inviter)s invites you to a game of Saboteur", inviter=inviter)
            ),
            Paragraph(
                language.gettext(
                    "Saboteur is a card game for 3 to 10 players: dig for gold, and find out who's secretly working against you. We'll email you when it's your turn, so no one has to be online at the same time."
                )
            ),
            Button(language.gettext("Take your seat"), link),
            *table_settings_and_players(context.table, context.seats, language),
            *fairness_section(context.commitments, language),
        ),
        footer=language.gettext(
            "%(inviter)s gave us your address for this invitation. If you ignore it, we won't write again. Replies to this email aren't read.",
            inviter=inviter,
        ),
    )


def dealt_content(context: DealtContext, locale: EmailLocale) -> EmailContent:
    language = locale.language
    begun_sentence = language.gettext("The game has begun. We'll email you when it's your turn.")
    return EmailContent(
        subject=game_subject(context.table, language),
        preview=begun_sentence,
        blocks=(
            Title(language.gettext("The cards are dealt")),
            Paragraph(begun_sentence),
            Paragraph(
                language.gettext(
                    "Keep this email. It contains the deal record, which proves that the cards weren't changed afterwards. Every player got the same one."
                )
            ),
            Button(language.gettext("Go to the table"), _game_link(context.table, locale)),
            *table_settings_and_players(context.table, context.seats, language),
            *fairness_section(context.commitments, language),
            *proof_sections.deal_record_section(context, language),
        ),
        footer=player_footer(language),
    )


def your_turn_content(context: TurnContext, locale: EmailLocale) -> EmailContent:
    language, name = locale.language, one_line(context.envelope.name)
    title = Title(language.gettext("It's your turn, %(name)s", name=name))
    return _turn_content(context, locale, opening_blocks=(title,))


def reminder_content(context: TurnContext, locale: EmailLocale) -> EmailContent:
    language, name = locale.language, one_line(context.envelope.name)
    title = Title(language.gettext("Your time is running out, %(name)s", name=name))
    late_paragraph = Paragraph(late_sentence(context.view, language))
    return _turn_content(context, locale, opening_blocks=(title, late_paragraph))


def nudge_content(context: TurnContext, locale: EmailLocale) -> EmailContent:
    language, name = locale.language, one_line(context.envelope.name)
    title = Title(language.gettext("It's still your turn, %(name)s", name=name))
    if context.act is None:
        return _turn_content(context, locale, opening_blocks=(title,))
    request_text = language.gettext(
        "A reminder from %(actor)s.", actor=act_actor(context.act, language)
    )
    return _turn_content(context, locale, opening_blocks=(title, Paragraph(request_text)))


def round_over_content(context: RoundOverContext, locale: EmailLocale) -> EmailContent:
    language = locale.language
    perspective = perspective_with_absences(context.seats, locale)
    ending_text = round_sentence(context.result, perspective)
    return EmailContent(
        subject=game_subject(context.table, language),
        preview=ending_text,
        blocks=(
            Title(language.gettext("Round %(round)s is over", round=context.result.round)),
            Paragraph(ending_text),
            round_share_list(context.result, perspective),
            Paragraph(_next_step_sentence(context.view, perspective)),
            Button(language.gettext("Go to the table"), _game_link(context.table, locale)),
            *latest_turns_section(context.latest_entries, perspective),
            *position_section(context.view, context.seats, perspective),
        ),
        footer=player_footer(language),
    )


def game_over_content(context: GameOverContext, locale: EmailLocale) -> EmailContent:
    language, view = locale.language, context.view
    perspective = recipient_perspective(context.seats, language)
    winners_text = game_sentence(view, perspective)
    rounds = tuple(round_sentence(result, perspective) for result in view.results)
    return EmailContent(
        subject=game_subject(context.table, language),
        preview=winners_text,
        blocks=(
            Title(language.gettext("The game is over")),
            Paragraph(winners_text),
            Heading(language.gettext("Final gold")),
            final_gold_list(view, perspective),
            Button(language.gettext("See the results"), _game_link(context.table, locale)),
            Heading(language.gettext("Rounds")),
            NumberedList(rounds),
            *peeks_section(context.peeks, locale),
            *latest_turns_section(context.latest_entries, perspective),
            *mine_section(view, language),
            *proof_sections.all_turns_section(context, locale),
        ),
        footer=player_footer(language),
    )


def _turn_content(
    context: TurnContext, locale: EmailLocale, *, opening_blocks: tuple[Block, ...]
) -> EmailContent:
    """Return all that is needed to play, under the title of a turn or of a reminder."""
    language = locale.language
    perspective = perspective_with_absences(context.seats, locale)
    deadline_text = times.deadline(
        context.deadline_at, now=locale.now, zone=locale.zone, language=language
    )
    return EmailContent(
        subject=game_subject(context.table, language),
        preview=deadline_text,
        blocks=(
            *opening_blocks,
            *plan_section(context.plan_end, language),
            Paragraph(what_to_do_sentence(context.view, language)),
            Notice(deadline_text),
            *turn_time_section(context.table, context.seats, locale),
            *latest_turns_section(context.latest_entries, perspective),
            *position_section(context.view, context.seats, perspective),
            *actions_section(context.menu, perspective, view=context.view),
            *proof_sections.turns_so_far_section(context, locale),
        ),
        footer=player_footer(language),
    )


def _next_step_sentence(view: View, perspective: Perspective) -> str:
    """Return whose turn it is; and that the next round is dealt, unless it is already over as well."""
    awaiting = awaiting_sentence(view, perspective)
    if len(view.results) == view.round:
        return awaiting
    return perspective.language.gettext(
        "Round %(round)s has been dealt. %(awaiting)s", round=view.round, awaiting=awaiting
    )


def _game_link(table: TableSummary, locale: EmailLocale) -> str:
    return urls.absolute_url(locale.base_url, urls.game(table.slug))


_CONTENT_BY_KIND: Final[dict[NotificationKind, Callable[[Any, EmailLocale], EmailContent]]] = {
    "sign-in": account_contents.sign_in_content,
    "identity-code": account_contents.identity_code_content,
    "address-change": account_contents.address_change_content,
    "address-requested": account_contents.address_requested_content,
    "address-changed": account_contents.address_changed_content,
    "invitation": invitation_content,
    "seat-offer": seat_offer_content,
    "ready-check": lobby_contents.ready_check_content,
    "ready-check-missed": lobby_contents.ready_check_missed_content,
    "ready-check-over": lobby_contents.ready_check_over_content,
    "player-removed": lobby_contents.player_removed_content,
    "table-waiting": lobby_contents.table_waiting_content,
    "table-cancelled": table_cancelled_content,
    "dealt": dealt_content,
    "your-turn": your_turn_content,
    "reminder": reminder_content,
    "turn-missed": late_player_contents.turn_missed_content,
    "deadlines-moved": deadlines_moved_content,
    "briefing": briefing_content,
    "seat-opened": late_player_contents.seat_opened_content,
    "open-seats": open_seats_content,
    "round-over": round_over_content,
    "game-over": game_over_content,
    "club-invitation": club_contents.club_invitation_content,
    "club-announcement": club_contents.club_announcement_content,
    "club-act": club_contents.club_act_content,
    "club-request": club_contents.club_request_content,
    "club-admitted": club_contents.club_admitted_content,
    "club-declined": club_contents.club_declined_content,
    "moderator-act": moderator_act_content,
    "nudge": nudge_content,
    "player-left": player_left_content,
    "vote-opened": vote_opened_content,
    "vote-ended": vote_ended_content,
    "warning": sanction_contents.warning_content,
    "ban": sanction_contents.ban_content,
    "ban-lifted": sanction_contents.ban_lifted_content,
    "report-decided": sanction_contents.report_decided_content,
}
