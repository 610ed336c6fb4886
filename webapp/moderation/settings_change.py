"""Changing the settings of the site: what changed is in the ledger, with the values before and after, and the reason."""

import hashlib
from collections.abc import Mapping
from typing import Any, Final

import msgspec

from webapp.accounts import security_log
from webapp.accounts.passkeys import has_passkey
from webapp.accounts.person import Person
from webapp.accounts.relations import require_site_right
from webapp.kernel.refusals import FieldError, FieldErrors, checked_reason
from webapp.kernel.rights import OPERATOR, Relation, SiteRight
from webapp.kernel.site_settings import InvalidSetting, SiteSettings, parse_setting
from webapp.kernel.tx import Tx
from webapp.moderation.queries.ledger import NewLedgerEntry
from webapp.operations import maintenance
from webapp.operations.queries import email_hold
from webapp.site.current_settings import read_settings
from webapp.site.queries import settings

_MAINTENANCE_SETTING: Final = "maintenance"
_NEED_PASSKEY_SETTING: Final = "moderators_need_passkey"


class SettingsChange(msgspec.Struct, frozen=True, kw_only=True):
    """New values of some settings, as they were typed."""

    values: Mapping[str, str]
    reason: str
    form_id: str
    version: str | None = None
    """Of the settings that the form showed; None if it does not matter what they were."""


def version_of(settings: SiteSettings) -> str:
    """Return a short text that is another one when any setting has changed."""
    settings_without_announcement = msgspec.structs.replace(settings, announcement=None)
    return hashlib.sha256(msgspec.json.encode(settings_without_announcement)).hexdigest()[:16]


def change_settings(
    tx: Tx, person: Person | None, change: SettingsChange, *, defaults: SiteSettings
) -> tuple[str, ...]:
    """Store new values and return the names of the settings that changed; ``person`` None is the operator.

    Raises NotFound without the right, FieldErrors for values, the reason, and for ``version`` if someone else changed
    a setting since the form was shown. Also for demanding passkeys of all moderators without having one.
    """
    if person is not None:
        require_site_right(person, SiteRight.CHANGE_SETTINGS)
    new_values, reason = _parsed_values(change)
    settings.lock(tx)
    old_settings = read_settings(tx, defaults)
    changed_values = {
        name: value for name, value in new_values.items() if getattr(old_settings, name) != value
    }
    if not changed_values:
        return ()
    if change.version not in {None, version_of(old_settings)}:
        raise FieldErrors(FieldError("version", "changed-meanwhile"))
    _require_own_passkey(tx, person, changed_values)
    _require_released_copy(tx, changed_values)
    _stop_or_start_clocks(tx, old_settings, changed_values)
    actor_id = None if person is None else person.id
    settings.store_values(tx, changed_values)
    for name, value in changed_values.items():
        entry = NewLedgerEntry(
            act="setting-change",
            actor_id=actor_id,
            acted_as=OPERATOR if person is None else Relation.SITE_MODERATOR,
            before={name: getattr(old_settings, name)},
            after={name: value},
            reason=reason,
            # With the time, because a form that was refused is sent again with the same id, and everything that
            # changes must be recorded; what has changed already gets here no second time.
            form_id=f"{change.form_id} {name} {tx.now.isoformat()}",
            at=tx.now,
        )
        security_log.record_act(tx, entry)
    return tuple(changed_values)


def _parsed_values(change: SettingsChange) -> tuple[dict[str, Any], str]:
    """Return the new values and the reason. Raises FieldErrors with everything that is wrong."""
    values, errors, reason = {}, [], ""
    for name, typed_value in change.values.items():
        try:
            values[name] = parse_setting(name, typed_value)
        except InvalidSetting as invalid:
            errors.append(FieldError(name, invalid.code, dict(invalid.params)))
    try:
        reason = checked_reason(change.reason)
    except FieldErrors as refusal:
        errors.extend(refusal.errors)
    if errors:
        raise FieldErrors(*errors)
    return values, reason


def _require_own_passkey(tx: Tx, person: Person | None, changed_values: Mapping[str, Any]) -> None:
    """Raise FieldErrors for someone who demands passkeys of all moderators without having one."""
    demands_passkeys = changed_values.get(_NEED_PASSKEY_SETTING)
    if person is not None and demands_passkeys and not has_passkey(tx, person.id):
        raise FieldErrors(FieldError(_NEED_PASSKEY_SETTING, "no-passkey"))


def _require_released_copy(tx: Tx, changed_values: Mapping[str, Any]) -> None:
    """Raise FieldErrors for opening a restored copy, which the operator does together with sending its emails."""
    opens_site = changed_values.get(_MAINTENANCE_SETTING) == ""
    if opens_site and email_hold.is_held(tx):
        raise FieldErrors(FieldError(_MAINTENANCE_SETTING, "email-held"))


def _stop_or_start_clocks(
    tx: Tx, current_settings: SiteSettings, changed_values: Mapping[str, Any]
) -> None:
    """Stop or start all clocks if maintenance begins or ends with this change."""
    if _MAINTENANCE_SETTING not in changed_values:
        return
    if changed_values[_MAINTENANCE_SETTING] and not current_settings.maintenance:
        maintenance.begin(tx)
    elif not changed_values[_MAINTENANCE_SETTING]:
        maintenance.end(tx)
