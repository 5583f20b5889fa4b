"""A repository that would like to be more than text."""

from pathlib import Path

from tests.conftest import write_sample
from tests.doors.web.story import Story

ATTACK = "<script>window.pwned=1;alert(1)</script>"
IMAGE = "<img src=x onerror=window.pwned=1>"
BIDI = "\u202e\u2066// if admin\u2069 \u2066"
ANSI = "\x1b[31mred\x1b[0m\x1b]0;title\x07"
NAMES = (
    "src/<script>alert(1)<\u2215script>.py",
    'src/"><img src=x onerror=alert(1)>.py',
    "src/' onmouseover='window.pwned=1.py",
    "src/\u202egnp.exe.py",
    "src/日本語 の 名前.py",
    "src/" + "w" * 200 + ".py",
    "src/{{7*7}} %s ${x}.py",
    "src/a b&amp;c#d?e.py",
)

STORY = Story(
    request=f"charge the card {ATTACK} {BIDI}",
    quote=ATTACK,
    term="charge the card",
    symbol="PaymentGateway.charge_card",
    path="src/shop/payment.py",
    goals=(f"charge {ATTACK}", f"{IMAGE} {BIDI} 支払い"),
    beside=("src/shop/retry.py",),
    keywords=("with_retries", IMAGE),
    convention=f"{ATTACK} {IMAGE} {BIDI} {ANSI}",
    more=((f"{IMAGE} 返金", "PaymentGateway.refund"),),
)


def write_hostile(root: Path) -> Path:
    """Write the sample shop with hostile names and contents all over it."""
    write_sample(root)
    body = f'"""{ATTACK} charge the card"""\nfrom shop.payment import checkout\n\n\ndef charge_card_{{}}():\n'
    for number, name in enumerate(NAMES):
        text = body.format(number) + f"    # {BIDI} {ANSI}\n    return '{IMAGE}'\n"
        (root / name).write_text(text, "utf-8", "surrogateescape")
    (root / "long.py").write_text("charge_card = '" + "<b>" * 330_000 + "'\n", "utf-8")
    (root / "page.md").write_text(f"# {ATTACK}\n\n{IMAGE}\n\n[x](javascript:alert(1)) charge the card\n", "utf-8")
    _write_conflict(root)
    (root / "page.html").write_text(f"<h1>charge the card</h1>{ATTACK}{IMAGE}\n", "utf-8")
    return root


def _write_conflict(root: Path) -> None:
    """Leave a page of the map as a merge does, with hostile words on both sides."""
    page = root / ".shirube" / "agreements" / "till.md"
    page.parent.mkdir(parents=True, exist_ok=True)
    sides = f"<<<<<<< HEAD\n{ATTACK} ours\n=======\n{IMAGE} {BIDI} theirs\n>>>>>>> {ATTACK}\n"
    head = f"---\nnl_term: {IMAGE}\nsymbol: checkout\n---\n# till\n\n## Evidence\n\n"
    page.write_text(head + sides, "utf-8")
