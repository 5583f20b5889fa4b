"""Takes what looks like a secret out of text that is about to be shown: messages of commits, and diffs.

Two kinds are recognised. Tokens of known services and private keys have a form of their own, wherever they stand. A
value after ``password=``, ``token:`` and the like counts when it looks random, and so does the password in a URL.
A bare run of hexadecimal digits says nothing by itself: commit hashes and the digests of lock files stay as they are.
A password made of plain words, or a part of a key without its first line, is not recognised.
"""

import re
from itertools import pairwise

MARK = "[redacted]"
# A repository may be hostile: no part of a pattern is tried again and again over the same long text.
_KEY_TEXT = r"[A-Za-z0-9+/=\s\\:,\"'-]"
_KNOWN = re.compile(
    rf"-----BEGIN [A-Z0-9 ]{{0,30}}PRIVATE KEY[A-Z ]{{0,10}}-----{_KEY_TEXT}{{40,}}?"
    rf"(?:-----END [A-Z0-9 ]{{0,30}}PRIVATE KEY[A-Z ]{{0,10}}-----|(?!{_KEY_TEXT}))"
    r"|(?<![A-Za-z0-9])(?:"
    r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])"  # Amazon
    r"|gh[opsur]_[A-Za-z0-9]{30,}|github_pat_\w{22,}"
    r"|gl(?:pat|dt|rt|ptt|ft|imt|oas|soat|cbt|agent)-[\w-]{20,}"  # GitLab
    r"|xox[abeoprs]-[A-Za-z0-9-]{10,}|xapp-[A-Za-z0-9-]{20,}|hooks\.slack\.com/services/[A-Za-z0-9/]{20,}"
    r"|[rs]k_(?:live|test)_[A-Za-z0-9]{16,}|whsec_[A-Za-z0-9+/=]{24,}"  # Stripe
    r"|AIza[\w-]{35}|ya29\.[\w-]{20,}|GOCSPX-[\w-]{20,}"  # Google
    r"|npm_[A-Za-z0-9]{36}|pypi-[\w-]{50,}|hf_[A-Za-z0-9]{30,}|dckr_pat_[\w-]{20,}"
    r"|SG\.[\w-]{16,}\.[\w-]{16,}"  # SendGrid
    r"|(?<![_-])eyJ[\w-]{8,}\.eyJ[\w-]{8,}(?:\.[\w-]*)?"  # JSON Web Token
    r")",
    re.ASCII,
)
_NAMED = re.compile(
    r"(?i)(?P<name>(?:passw(?:or)?d|passphrase|pwd|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|auth[_-]?key"
    r"|credential|authorization)s?\w{0,20}[\"'\]]{0,2}\s{0,3}(?:=>|:=|[=:])\s{0,3}(?:bearer\s|basic\s|token\s)?[\"']?"
    r"|(?:パスワード|トークン|シークレット|秘密鍵|暗証番号|(?:api|アクセス)\s?キー)\s{0,3}[=:＝：はがを]\s{0,3}[\"'「]?"
    r"|\b(?:bearer|basic)\s{1,3}"
    r"|(?<![A-Za-z0-9])(?=sk-))"  # OpenAI, Anthropic: the beginning is too short to be enough
    r"(?P<value>[A-Za-z0-9+/=_.~!@#$%^&*-]{12,})"
)
_URL = re.compile(r"(?i)(?P<name>\b[a-z][a-z0-9+.-]{1,20}://[^\s/:@\"'<>]{0,100}:)[^\s/@\"'<>]{1,200}(?=@)")
LEAST_CHANGES = 0.2
"""Of a random value, at least so many characters are followed by one of another class: digit, small, capital. Of
base64 it is about 0.6, of hexadecimal digits 0.5; words joined by marks have almost none."""


def redacted(text: str) -> str:
    """Return a text with a mark in place of everything that looks like a secret."""
    text = _KNOWN.sub(MARK, text)
    text = _NAMED.sub(lambda found: found["name"] + (MARK if _is_random(found["value"]) else found["value"]), text)
    return _URL.sub(lambda found: found["name"] + MARK, text)


def _is_random(value: str) -> bool:
    """Tell whether a value looks made by a machine: letters and digits mixed, ``x7Gq…`` but not ``max_tokens_2048``."""
    alnum = filter(str.isalnum, value)
    classes = ["digit" if char.isdigit() else "capital" if char.isupper() else "small" for char in alnum]
    changes = sum(one != other for one, other in pairwise(classes))
    return "digit" in classes and changes >= LEAST_CHANGES * len(value)
