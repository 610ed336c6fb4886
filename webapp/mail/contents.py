"""The content of each kind of email: one function per kind, from the recipient's context to finished sentences."""

from collections.abc import Callable
from typing import Any, Final

from webapp import urls
from webapp.mail import (
    account_contents,
    club_contents,
    late_player_contents,
    lobby_contents,
    proof_sections,
    result_contents,
    sanction_contents,
)
from webapp.mail.blocks import (
    Block,
    Button,
    EmailContent,
    Notice,
    Paragraph,
    Title,
)
from webapp.mail.briefing_contents import briefing_content
from webapp.mail.mime import one_line
from webapp.mail.moderated_game_contents import (
    act_actor,
    moderator_act_content,
    player_left_content,
    table_cancelled_content,
)
from webapp.mail.open_seats_content import open_seats_content
from webapp.mail.outage_contents import deadlines_moved_content
from webapp.mail.rematch_content import rematch_content
from webapp.mail.seat_offer_contents import seat_offer_content
from webapp.mail.sections import (
    EmailLocale,
    actions_section,
    fairness_section,
    perspective_with_absences,
    plan_section,
    player_footer,
    position_section,
    table_settings_and_players,
)
from webapp.mail.subjects import game_subject, reminder_situation, turn_subject
from webapp.mail.talk_section import news_sections
from webapp.mail.time_section import turn_time_section
from webapp.mail.vote_contents import vote_ended_content, vote_opened_content
from webapp.services.email_kinds import NotificationKind
from webapp.services.notifications.email_context import (
    DealtContext,
    EmailContext,
    InvitationContext,
    TurnContext,
)
from webapp.services.play.summaries import TableSummary
from webapp.wording import times
from webapp.wording.people import (
    late_sentence,
    what_to_do_sentence,
)


def content_of(context: EmailContext, locale: EmailLocale) -> EmailContent:
    """Return what an email says, in the recipient's language and from the recipient's point of view."""
    return _CONTENT_BY_KIND[context.envelope.kind](context, locale)


def invitation_content(context: InvitationContext, locale: EmailLocale) -> EmailContent:
    if context.is_rematch:
        return rematch_content(context, locale)
    language, inviter = locale.language, one_line(context.host)
    link = urls.absolute_url(locale.base_url, urls.invitation(context.token))
    return EmailContent(
        subject=language.gettext("%(inviter)s invites you to a game of Saboteur", inviter=inviter),
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
        subject=game_subject(language.gettext("The cards are dealt"), context.table, language),
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
    situation = language.gettext("Your turn")
    return _turn_content(context, locale, situation=situation, opening_blocks=(title,))


def reminder_content(context: TurnContext, locale: EmailLocale) -> EmailContent:
    language, name = locale.language, one_line(context.envelope.name)
    title = Title(language.gettext("Your time is running out, %(name)s", name=name))
    late_paragraph = Paragraph(late_sentence(context.view, language))
    situation = reminder_situation(context.deadline_at, locale)
    return _turn_content(
        context, locale, situation=situation, opening_blocks=(title, late_paragraph)
    )


def nudge_content(context: TurnContext, locale: EmailLocale) -> EmailContent:
    language, name = locale.language, one_line(context.envelope.name)
    title = Title(language.gettext("It's still your turn, %(name)s", name=name))
    situation = language.gettext("Still your turn")
    if context.act is None:
        return _turn_content(context, locale, situation=situation, opening_blocks=(title,))
    request_text = language.gettext(
        "A reminder from %(actor)s.", actor=act_actor(context.act, language)
    )
    blocks = (title, Paragraph(request_text))
    return _turn_content(context, locale, situation=situation, opening_blocks=blocks)


def _turn_content(
    context: TurnContext, locale: EmailLocale, *, situation: str, opening_blocks: tuple[Block, ...]
) -> EmailContent:
    """Return all that is needed to play, under the title of a turn or of a reminder."""
    language = locale.language
    perspective = perspective_with_absences(context.seats, locale)
    deadline_text = times.deadline(
        context.deadline_at, now=locale.now, zone=locale.zone, language=language
    )
    return EmailContent(
        subject=turn_subject(
            situation,
            context.table,
            view=context.view,
            deadline_at=context.deadline_at,
            locale=locale,
        ),
        preview=deadline_text,
        blocks=(
            *opening_blocks,
            *plan_section(context.plan_end, language),
            Paragraph(what_to_do_sentence(context.view, language)),
            Notice(deadline_text),
            Button(language.gettext("Play now"), _game_link(context.table, locale)),
            *news_sections(context, perspective),
            *position_section(context.view, context.seats, perspective),
            *actions_section(context.menu, perspective, view=context.view),
            *turn_time_section(context.table, context.seats, locale),
            *proof_sections.turns_so_far_section(context, locale),
        ),
        footer=player_footer(language),
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
    "round-over": result_contents.round_over_content,
    "game-over": result_contents.game_over_content,
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
