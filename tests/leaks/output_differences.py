"""Comparison of what two sites output, without what is new in every response."""

import re
from difflib import unified_diff

NEW_TOKENS = (
    r'nonce="[\w-]+"|nonce-[\w-]+|name="(?:csrf_token|(?:\w+-)?form_id)"[^>]*?\svalue="[^"]+"'
)
"""A nonce, and the tokens of a form, whether a template writes the field or WTForms does."""
FAULTS_OUTPUT = "variables of faults"
_REPLACED_PATTERNS = (
    (NEW_TOKENS, "NEW"),
    # Rates are counted by the machine's clock,
    (r"(?m)^(X-RateLimit-Reset|Retry-After): \d+", r"\1: SOON"),
    # and so are the durations of requests on the metrics page,
    (r"(?m)^(lodepost_request_seconds_(?:sum|bucket)\{.*?\}) \S+", r"\1 DURATION"),
    # the processor time and memory of the process, which only the operator sees,
    (r"(?m)^((?:process|python_gc)_\w+(?:\{.*?\})?) \S+", r"\1 OF THE PROCESS"),
    # and the timestamps of log lines. Tracebacks contain memory addresses.
    (r'"at": "[^"]+"', '"at": "THEN"'),
    (r"\b0x[0-9a-f]{6,}", "0xADDRESS"),
    # The driver's message about a failed pipeline depends on how fast the database was.
    (r'(?m)^.*"logger": "psycopg", "message": "error ignored terminating.*\n', ""),
    # The expiry of the style sheet.
    (r"(?m)^(Expires|Date): .*", r"\1: THEN"),
    (r"lodepost_test_\d+_\d+", "DATABASE"),
)
"""What differs between two responses without revealing anything."""
_REPLACED_FAULT_PATTERNS = (
    # Cookies, form tokens, nonces: longer than the name of any card, person or table.
    (r"[\w.=-]{22,}", "TOKEN"),
    (r"\b\d+\.\d{3,}", "SECONDS"),
    # A player who holds a turn gets no email about it, so that a batch has one less. Emails are compared one by one.
    (r"\bprepared = \(.*\)", "prepared = EMAILS"),
)
"""What else differs between the variables of two faults. Nothing else is ignored anywhere."""


def without_new_parts(text: str) -> str:
    """Return the text with everything that is new in every response replaced."""
    for pattern, replacement in _REPLACED_PATTERNS:
        text = re.sub(pattern, replacement, text)
    return text


def differences(actual: dict[str, str], counterfactual: dict[str, str]) -> dict[str, str]:
    """Return the outputs that differ between the two sites, each as a diff."""
    diffs_by_output = {
        output: _output_diff(output, actual.get(output, ""), counterfactual.get(output, ""))
        for output in actual | counterfactual
    }
    return {output: diff for output, diff in diffs_by_output.items() if diff}


def _output_diff(output: str, output_text: str, other_text: str) -> str:
    for pattern, replacement in _REPLACED_FAULT_PATTERNS if output == FAULTS_OUTPUT else ():
        output_text, other_text = (
            re.sub(pattern, replacement, output_text),
            re.sub(pattern, replacement, other_text),
        )
    if output_text == other_text:
        return ""
    return "\n".join(
        unified_diff(output_text.splitlines(), other_text.splitlines(), lineterm="", n=0)
    )
