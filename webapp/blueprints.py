"""The blueprints of all pages: each module in the ``pages`` folder of its subject that has addresses has one, called ``pages``.

Those that depend on the settings, such as the mailbox, are made in ``webapp.app``.
"""

from typing import Final

from webapp.kernel.resources import subject_modules

BLUEPRINTS: Final = tuple(
    module.pages for module in subject_modules("pages") if hasattr(module, "pages")
)
