"""Answers to emails as mail programs write them: their header fields, their parts, and how they quote."""

from collections.abc import Callable, Mapping
from email.message import EmailMessage
from email.policy import SMTP
from html import escape
from typing import Final, TypeAlias

from tests.support.fakes import text_of

AnswerEmail: TypeAlias = Callable[[EmailMessage, str], EmailMessage]
_ATTRIBUTION: Final = "On Tue, 3 Mar 2026 at 14:00, Lodepost <games@play.example.org> wrote:"


def gmail(message: EmailMessage, typed: str) -> EmailMessage:
    """Text and HTML, each with the quotation below, and an attribution that is wrapped."""
    answer = _answer_to(message)
    wrapped = _ATTRIBUTION.replace(" wrote:", "\nwrote:")
    answer.set_content(f"{typed}\n\n{wrapped}\n\n{_quoted(message)}")
    answer.add_alternative(
        f'<div dir="ltr">{escape(typed)}</div><br><div class="gmail_quote gmail_quote_container"><div dir="ltr" '
        f'class="gmail_attr">{escape(_ATTRIBUTION)}<br></div><blockquote class="gmail_quote">{_html(message)}'
        "</blockquote></div>",
        subtype="html",
    )
    return answer


def apple_mail(message: EmailMessage, typed: str) -> EmailMessage:
    """Text and HTML; the attribution is quoted too."""
    answer = _answer_to(message, X_Mailer="Apple Mail (2.3826.700.81)")
    answer["Mime-Version"] = "1.0 (Mac OS X Mail 16.0 \\(3826.700.81\\))"
    answer.set_content(f"{typed}\n\n> {_ATTRIBUTION}\n> \n{_quoted(message)}")
    answer.add_alternative(
        f'<html><body style="overflow-wrap: break-word;">{escape(typed)}<br><div><br><blockquote type="cite"><div>'
        f"{escape(_ATTRIBUTION)}</div><br><div>{_html(message)}</div></blockquote></div></body></html>",
        subtype="html",
    )
    return answer


def outlook(message: EmailMessage, typed: str) -> EmailMessage:
    """HTML alone, with the header of the email below a rule instead of quotation marks."""
    answer = _answer_to(message, X_Mailer="Microsoft Outlook 16.0", Thread_Index="AdzXk4=")
    answer.set_content(
        "<html><head><style>p.MsoNormal {margin:0cm}</style></head><body lang=EN-GB><div class=WordSection1>"
        f"<p class=MsoNormal>{escape(typed)}<o:p></o:p></p><p class=MsoNormal><o:p>&nbsp;</o:p></p></div>"
        '<div id="appendonsend"></div><hr style="display:inline-block;width:98%"><div id="divRplyFwdMsg">'
        f"<b>From:</b> Lodepost<br><b>Sent:</b> Tuesday</div><div>{_html(message)}</div></body></html>",
        subtype="html",
    )
    return answer


def outlook_mobile(message: EmailMessage, typed: str) -> EmailMessage:
    """Text with an advertisement below what was typed, and the header of the email below a rule."""
    answer = _answer_to(message)
    answer.set_content(
        f"{typed}\n\nGet Outlook for iOS<https://aka.ms/o0ukef>\n________________________________\n"
        f"From: Lodepost <games@play.example.org>\nSent: Tuesday, March 3, 2026 2:00:00 PM\n"
        f"To: Alice <alice@example.test>\nSubject: Your turn\n\n{text_of(message)}"
    )
    return answer


def thunderbird(message: EmailMessage, typed: str) -> EmailMessage:
    """Flowed text below the quotation."""
    answer = _answer_to(message, User_Agent="Mozilla Thunderbird")
    attribution = "On 03/03/2026 14:00, Lodepost wrote:"
    answer.set_content(f"{attribution}\n{_quoted(message)}\n{typed}\n")
    answer.set_param("format", "flowed")
    return answer


def k9(message: EmailMessage, typed: str) -> EmailMessage:
    """Text with a signature above the header of the email."""
    answer = _answer_to(message, User_Agent="K-9 Mail for Android")
    answer.set_content(
        f"{typed}\n-- \nSent from my Android device with K-9 Mail. Please excuse my brevity.\n\n"
        f"-------- Original Message --------\nFrom: Lodepost <games@play.example.org>\n"
        f"Sent: 3 March 2026 14:00:00 GMT+02:00\nTo: Alice <alice@example.test>\nSubject: Your turn\n\n{text_of(message)}"
    )
    return answer


def mutt(message: EmailMessage, typed: str) -> EmailMessage:
    """Text between two pieces of the quotation."""
    answer = _answer_to(message, User_Agent="Mutt/2.2.12 (2023-09-09)")
    first, _, rest = _quoted(message).partition("\n")
    attribution = "On Tue, Mar 03, 2026 at 02:00:00PM +0200, Lodepost wrote:"
    answer.set_content(f"{attribution}\n{first}\n\n{typed}\n\n{rest}")
    return answer


MAIL_PROGRAMS: Final[Mapping[str, AnswerEmail]] = {
    "Gmail": gmail,
    "Apple Mail": apple_mail,
    "Outlook": outlook,
    "Outlook mobile": outlook_mobile,
    "Thunderbird": thunderbird,
    "K-9": k9,
    "mutt": mutt,
}


def _answer_to(message: EmailMessage, **fields: str) -> EmailMessage:
    answer = EmailMessage(policy=SMTP)
    answer["From"] = str(message["To"])
    answer["To"] = str(message["Reply-To"])
    answer["Subject"] = f"Re: {message['Subject']}"
    answer["In-Reply-To"] = str(message["Message-ID"])
    answer["References"] = f"{message['References'] or ''} {message['Message-ID']}".strip()
    for name, value in fields.items():
        answer[name.replace("_", "-")] = value
    return answer


def _quoted(message: EmailMessage) -> str:
    return "".join(f"> {line}\n" for line in text_of(message).splitlines())


def _html(message: EmailMessage) -> str:
    return escape(text_of(message)).replace("\n", "<br>")
