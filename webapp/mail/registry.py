"""All kinds of email. A module in an ``emails`` folder of a subject that has an ``EMAIL`` is one; nothing else lists it."""

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from webapp.mail.email import Email


@cache
def emails_by_kind() -> Mapping[str, Email[Any, Any]]:
    """Return every kind of email, in the order of their modules."""
    package_folder = Path(__file__).parents[1]
    modules = (
        import_module(".".join(("webapp", *path.relative_to(package_folder).with_suffix("").parts)))
        for path in sorted(package_folder.glob("*/emails/*.py"))
    )
    emails = [module.EMAIL for module in modules if hasattr(module, "EMAIL")]
    return {email.kind: email for email in emails}
