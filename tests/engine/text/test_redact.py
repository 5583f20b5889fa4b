"""What looks like a secret is taken out of messages and diffs; everything else stays as it is.

The fakes are put together from parts, so that programs which look for secrets do not find any here.
"""

from hypothesis import given
from hypothesis import strategies as st
from tests.cases import for_each

from shirube.engine.text.redact import MARK, redacted

RANDOM = "x7Gq2LmP9tRw" + "4VbN8sKd1ZcY"
HEX = "3f9c1e07ab52" + "d84460fe19c7"
LETTERS = "aB3dE5fG7hJ9" * 6
BODY = "\n".join("MIIEpAIBAAKCAQEA" + "z9Xk" * 12 for _ in range(3))
PEM = "-----BEGIN RSA " + f"PRIVATE KEY-----\n{BODY}\n" + "-----END RSA " + "PRIVATE KEY-----"

TOKENS = {
    "amazon": "AKIA" + "IOSFODNN7EXAMPLE",
    "amazon, for a session": "ASIA" + "Y34FZKBOKMUTVV7A",
    "github": "ghp_" + LETTERS[:36],
    "github, of an app": "ghs_" + LETTERS[:36],
    "github, fine-grained": "github_pat_" + LETTERS[:60],
    "gitlab": "glpat-" + LETTERS[:20],
    "slack": "xoxb-" + "123456789012-" + LETTERS[:24],
    "slack, a hook": "hooks.slack.com/" + "services/T0" + LETTERS[:9] + "/B0" + LETTERS[:9] + "/" + LETTERS[:24],
    "stripe": "sk_live_" + LETTERS[:24],
    "google": "AIza" + LETTERS[:35],
    "openai": "sk-" + LETTERS[:48],
    "openai, of a project": "sk-proj-" + LETTERS[:60],
    "anthropic": "sk-ant-api03-" + LETTERS[:60],
    "npm": "npm_" + LETTERS[:36],
    "docker": "dckr_pat_" + LETTERS[:27],
    "pypi": "pypi-" + LETTERS[:60],
    "a web token": "eyJhbGciOiJI" + "UzI1NiJ9.eyJzdWIiOiIxMjM0" + "NTY3ODkwIn0.dozjgNryP4J3jVmN",
    "a key": PEM,
}


@for_each("token", [*TOKENS.values()])
def test_a_token_of_a_known_form_is_replaced_wherever_it_stands(token: str) -> None:
    for text in ("{}", "use {} for now", 'KEY = "{}"', "+    call({}, 1)", "鍵は{}です"):
        assert redacted(text.format(token)) == text.format(MARK), text


@for_each(
    ("shown", "secret"),
    [
        ("password=", RANDOM),
        ("DB_PASSWORD=", "Sup3r" + "S3cret!pass"),
        ("password: ", f'"{RANDOM}"'),
        ("api_key = ", f"'{HEX}'"),
        ('"apiKey": ', f'"{RANDOM}"'),
        ("config['secret_key'] = ", f"'{RANDOM}'"),
        ("AWS_SECRET_ACCESS_KEY=", "wJalrXUtnFEMI/K7MDENG/" + "bPxRfiCYEXAMPLEKEY"),
        ("token := ", f'"{RANDOM}"'),
        ("client_secret => ", f"'{RANDOM}'"),
        ("Authorization: Bearer ", RANDOM),
        ("curl -H 'Bearer ", RANDOM),
        ("パスワード=", RANDOM),
        ("管理者のパスワードは ", RANDOM),
        ("トークン：", RANDOM),
        ("API キー: ", f'"{RANDOM}"'),
    ],
)
def test_a_random_value_after_a_telling_name_is_replaced(shown: str, secret: str) -> None:
    told = redacted(f"{shown}{secret}")
    assert told == f"{shown}{secret.replace(secret.strip(chr(34) + chr(39)), MARK)}"


def test_the_password_of_a_url_is_replaced_and_the_rest_stays() -> None:
    assert redacted("see postgres://app:" + "hunter2@db.local:5432/x") == f"see postgres://app:{MARK}@db.local:5432/x"
    assert redacted("https://:" + "abc@host/") == f"https://:{MARK}@host/"


@for_each(
    "text",
    [
        "Revert 3f9c1e07ab52d84460fe19c7aa01b2c3d4e5f607",
        "Fixed #1234 -- Made session tokens expire on logout.",
        "token: the one from the login form",
        "password = get_password_from_environment_2()",
        "secret_key=os.environ['SECRET_KEY']",
        'api_key = "<your api key here>"',
        "max_tokens: max_tokens_2048_default_value",
        "passwords: hash with PBKDF2 600000 times",
        "add the header X-Auth-Token: and its tests",
        '  "integrity": "sha512-' + "z9XkQ1" * 14 + '==",',
        "    sha256:" + "0f1e2d3c" * 8,
        'rustls = { version = "0.21.7", digest = "' + "a1b2c3d4" * 8 + '" }',
        "see https://example.org/a@b and git@github.com:x/y.git",
        "http://localhost:8000/@user",
        'if b"-----BEGIN ' + 'PRIVATE KEY-----" in data: return True',
        "sk-chasing-dots-and-more-dots { margin: 0 }",
        "task-" + "aB3dE5fG7hJ9" * 2,
        "トークン: 期限切れを直す",
    ],
)
def test_ordinary_text_stays_as_it_is(text: str) -> None:
    assert redacted(text) == text


def test_a_key_in_a_diff_goes_and_the_lines_around_it_stay() -> None:
    diff = "@@ -0,0 +1,9 @@\n+first\n" + "\n".join(f"+{line}" for line in PEM.splitlines()) + "\n+last (1)\n"
    assert redacted(diff) == f"@@ -0,0 +1,9 @@\n+first\n+{MARK}\n+last (1)\n"


def test_a_key_that_is_cut_off_goes_to_its_end() -> None:
    assert redacted("before\n" + PEM[:120]) == f"before\n{MARK}"


@given(st.text())
def test_any_text_is_read_and_what_is_redacted_stays_so(text: str) -> None:
    once = redacted(text)
    assert redacted(once) == once


HOSTILE = """
    -eyJ- eyJaaaaaaaa. PRIVATE_KEY_ -----BEGIN_ -----BEGIN_PRIVATE_KEY----- -----END_ SG.aaaaaaaaaaaaaaaa token:_
    password= bearer_ sk- a://b: ghp_ github_pat_ glpat- xoxb- = a
"""


@for_each("part", [*HOSTILE.split(), *(part.replace("_", " ") for part in HOSTILE.split() if "_" in part)])
def test_hostile_text_is_read_in_one_go(part: str) -> None:
    """A pattern that begins again at every place would take minutes here."""
    for begin in ("", "-----BEGIN ", "-----BEGIN PRIVATE KEY-----", "password="):
        assert isinstance(redacted(begin + part * (100_000 // len(part))), str)
