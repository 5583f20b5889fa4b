"""What a commit says, without references, trailers and prefixes, and the code of its diff."""

import re
from collections import Counter

from shirube.engine.history.commits import weight_of
from training.collect import BOILERPLATE, JAPANESE, LONGEST_DOC

MOST_LINES, MOST_LETTERS, MOST_NAMES = 40, 200, 12
"""Lines of code of a row, letters of a line, identifiers of a row."""

_DULL = re.compile(
    r"merge|revert|release|bump|version|v?\d+\.\d+|wip\b|initial commit|update (dep|change|readme)|docs?\b|ci\b"
    r"|chore\b|style\b|(fix(ed)? )?(typo|lint|format|test|build|warning)|README"
    r"|マージ|リリース|バージョン|ドキュメント|ヘルプ|テスト|誤字|翻訳"
    r"|(細かい|細かな|微|小|色々|いろいろ|諸々|軽微な|レビュー|指摘|コメント)*(事項)?[のを]?(修正|変更|調整|整理|対応|反映)+$",
    re.IGNORECASE,
)
_TRAILER = re.compile(
    r"(?i)\s*([a-z]+(-[a-z]+)+:|git-svn-id|(cc|closes?|fix(es|ed)?|refs?|see|issue)\b:?\s*(#|http|\S+@))"
)
_REFERENCE = re.compile(
    r"https?://\S+|\[[^\]]*(skip|\d)[^\]]*\]|[(（]?(\b(gh-|refs?|fix(es|ed)?|closes?|issue|pr)\s*)?#\d+[^)）\s]*[)）]?",
    re.IGNORECASE,
)
_PREFIX = re.compile(r"^\s*([a-z]+(\([^)]*\))?!?:\s+|:\w+:|[-*・■]\s*|--\s)+", re.IGNORECASE)

_HUNK = re.compile(r"@@ [-+,\d ]+@@ ?(.*)")
_LICENCE = re.compile(
    r"(?i)copyright|licen[cs]e|free software|warrant|redistribut|merchantab|temple place|this program"
)
_KEYWORDS = (
    "and|async|await|bool|boolean|break|case|catch|char|class|const|continue|def|default|delete|double|elif|else|elsif|end"
    "|enum|except|export|extends|extern|false|final|finally|float|for|foreach|from|func|function|goto|impl|implements|import"
    "|include|inline|int|interface|internal|let|local|long|module|mut|namespace|new|nil|none|not|null|nullptr|override|pub"
    "|package|private|protected|public|raise|readonly|require|return|self|short|signed|sizeof|static|std|string|struct|super"
    "|switch|template|then?|this|throw|true|try|typedef|typename|undefined|unless|unsigned|until|use|using|val|var|virtual"
    "|void|when|where|while|with|yield"
)
_IDENTIFIER = re.compile(rf"(?<![\w$])(?!(?:{_KEYWORDS})\b)[A-Za-z_]\w{{2,}}", re.ASCII | re.IGNORECASE)


def message(text: str) -> str:
    """Return subject and first paragraph: ``"fix: Keep it (#12)"`` → ``"Keep it"``; a routine one gives nothing."""
    subject, _, body = text.strip().partition("\n")
    first = _bare(subject)
    if _DULL.match(first) or _DULL.match(subject) or weight_of(first, 1) < 1:
        return ""
    lines = [_bare(line) for line in body.strip().split("\n\n")[0].splitlines() if not _TRAILER.match(line)]
    return " ".join(" ".join([first, *lines]).split())[:LONGEST_DOC].strip(" .。:、")


def _bare(line: str) -> str:
    return _PREFIX.sub("", _REFERENCE.sub("", line)).strip()


def is_telling(text: str, japanese: bool) -> bool:
    """Tell whether a text says enough: in Japanese, or else in English."""
    letters = len(JAPANESE.findall(text))
    if japanese:
        return letters >= max(5, 0.3 * len(text)) and not BOILERPLATE.search(text)
    return text.isascii() and len(text) >= 12 and len(set(text.lower().split())) >= 3


def change(diff: list[str]) -> tuple[str, list[str]]:
    """Return the code of a diff as it is afterwards, headings of hunks with it, and the most frequent identifiers."""
    code: list[str] = []
    names: Counter[str] = Counter()
    for line in diff:
        heading = _HUNK.match(line)
        bare = (heading[1] if heading else line[1:]).rstrip()[:MOST_LETTERS]
        if not bare.strip() or _LICENCE.search(bare):
            continue
        if not line.startswith(" "):
            names.update(_IDENTIFIER.findall(bare))
        if not line.startswith("-") and bare not in code[-1:] and len(code) < MOST_LINES:
            code.append(bare)
    return "\n".join(code), [name for name, _ in names.most_common(MOST_NAMES)]
