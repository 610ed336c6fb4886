"""The colours of pages and emails, defined once: the style sheet gets them as custom properties, emails as inline styles.

Mappings, because the style sheet and the templates of emails read the colours by name.
"""

from typing import Final

LIGHT_COLOURS: Final = {
    "background": "#faf6ee",
    "surface": "#fffdf8",  # A panel of a page, the sheet of an email.
    "sunken": "#f1e9db",  # Behind code and drawings.
    "line": "#d9cbb4",  # Borders and rules.
    "text": "#2b231a",
    "muted": "#65584a",  # Text of less importance.
    "accent": "#7a4a12",  # Links and buttons.
    "on_accent": "#ffffff",
    "focus": "#1c5aa8",
    "good": "#1d6b3f",
    "good_background": "#e4f1e6",
    "warn": "#7a4f00",
    "warn_background": "#fbedc9",
    "bad": "#a3201a",
    "bad_background": "#fbe6e2",
    "info": "#1c4f8f",
    "info_background": "#e4edf8",
    "danger": "#a3201a",
    "on_danger": "#ffffff",
}

DARK_COLOURS: Final = {
    "background": "#14110e",
    "surface": "#1e1a15",
    "sunken": "#0e0c0a",
    "line": "#41372c",
    "text": "#f0e7d8",
    "muted": "#b8aa94",
    "accent": "#f0b860",
    "on_accent": "#201505",
    "focus": "#7db4ff",
    "good": "#7fd3a0",
    "good_background": "#14281c",
    "warn": "#f2c566",
    "warn_background": "#2e2410",
    "bad": "#ff9d92",
    "bad_background": "#361613",
    "info": "#9cc4ff",
    "info_background": "#142236",
    "danger": "#ff9d92",
    "on_danger": "#2a0c09",
}

PRINT_COLOURS: Final = LIGHT_COLOURS | {
    "background": "#ffffff",
    "surface": "#ffffff",
    "sunken": "#ffffff",
    "line": "#999999",
    "text": "#000000",
    "muted": "#333333",
    "accent": "#000000",
}
