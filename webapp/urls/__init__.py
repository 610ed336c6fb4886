"""The paths of all pages, built without a request, for pages, emails and tests: ``urls.game(slug)``.

Each function returns a path on this server; ``absolute_url`` adds the server's address. Each subject has a module; callers
and templates use this package, because most of them need paths of several subjects.
"""

from webapp.urls.account_pages import (
    account_address as account_address,
    account_data as account_data,
    account_deletion as account_deletion,
    account_export as account_export,
    account_security as account_security,
    address_link as address_link,
    blocked_people as blocked_people,
    identity as identity,
    identity_code as identity_code,
    identity_passkey as identity_passkey,
    identity_passkey_options as identity_passkey_options,
    new_passkey as new_passkey,
    new_passkey_options as new_passkey_options,
    other_sessions as other_sessions,
    passkey_sign_in as passkey_sign_in,
    passkey_sign_in_options as passkey_sign_in_options,
    profile as profile,
    profile_emails as profile_emails,
    remove_passkey as remove_passkey,
    session as session,
    sign_in as sign_in,
    sign_in_code as sign_in_code,
    sign_in_link as sign_in_link,
    sign_out as sign_out,
    unblock as unblock,
    withdraw_address as withdraw_address,
)
from webapp.urls.clock_pages import (
    absence as absence,
    briefing as briefing,
    end_absence as end_absence,
    open_seat as open_seat,
    open_seats as open_seats,
    quiet_hours as quiet_hours,
    reminders as reminders,
    start_holiday as start_holiday,
    time_away as time_away,
)
from webapp.urls.club_pages import (
    club as club,
    club_action as club_action,
    club_invitation as club_invitation,
    club_member_action as club_member_action,
    club_members as club_members,
    club_season as club_season,
    club_settings as club_settings,
    clubs as clubs,
    new_club as new_club,
)
from webapp.urls.lobby_pages import (
    bot_game as bot_game,
    decline_seat_offer as decline_seat_offer,
    invitation as invitation,
    lobby_action as lobby_action,
    new_game as new_game,
    seat_offer as seat_offer,
    tables as tables,
)
from webapp.urls.moderation_pages import (
    acknowledge_warning as acknowledge_warning,
    appeal as appeal,
    bulk_act as bulk_act,
    dashboard_or_none as dashboard_or_none,
    dismiss_announcement as dismiss_announcement,
    ledger as ledger,
    moderated_act as moderated_act,
    moderated_game as moderated_game,
    moderated_person as moderated_person,
    moderation as moderation,
    new_report as new_report,
    peek as peek,
    peeked_game as peeked_game,
    report as report,
    reports as reports,
    sanction as sanction,
    saved_filter as saved_filter,
    saved_filters as saved_filters,
    security_log as security_log,
    site_announcement as site_announcement,
    site_settings as site_settings,
    statistics as statistics,
    withdraw_announcement as withdraw_announcement,
)
from webapp.urls.notification_pages import (
    mailbox as mailbox,
    mailbox_email as mailbox_email,
    mailbox_email_html as mailbox_email_html,
    resubscribe as resubscribe,
    unsubscribe as unsubscribe,
)
from webapp.urls.operation_pages import (
    health as health,
    metrics as metrics,
    readiness_probe as readiness_probe,
)
from webapp.urls.paths import (
    absolute_url as absolute_url,
)
from webapp.urls.play_pages import (
    block as block,
    deadline as deadline,
    deadlines as deadlines,
    discard_plan as discard_plan,
    play_held_turn as play_held_turn,
    withdraw_turn as withdraw_turn,
    export as export,
    fairness as fairness,
    game as game,
    history as history,
    nudge as nudge,
    plan as plan,
    players as players,
    seen_announcements as seen_announcements,
    vote as vote,
    votes as votes,
    turns as turns,
)
from webapp.urls.site_pages import (
    about as about,
    home as home,
    legal_page as legal_page,
    next_game as next_game,
    privacy as privacy,
    rights as rights,
    rulebook as rulebook,
    rules as rules,
)
