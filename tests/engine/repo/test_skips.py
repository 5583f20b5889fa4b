from tests.cases import for_each

from shirube.engine.repo.skips import SECRETS, built_in, is_secret, is_secret_path, marked


def no(_path: bytes) -> bool:
    return False


def yes(_path: bytes) -> bool:
    return True


@for_each("path", ["node_modules", "a/__pycache__", "x/.claude/worktrees", ".worktrees", ".shirube"])
def test_directories_made_by_tools_are_skipped(path):
    assert built_in(path.encode(), path.rpartition("/")[2].encode(), set(), yes)


@for_each("path", ["src", "worktrees", "build", "target", "a/.shirube"])
def test_other_directories_are_not(path):
    assert not built_in(path.encode(), path.rpartition("/")[2].encode(), set(), no)


@for_each(
    ("name", "sibling"),
    [("target", "Cargo.toml"), ("target", "pom.xml"), ("build", "pyproject.toml"), ("dist", "package.json")],
)
def test_build_output_is_known_by_what_lies_beside_it(name, sibling):
    assert built_in(name.encode(), name.encode(), {sibling.encode()}, no) == "build output"
    assert built_in(name.encode(), name.encode(), {sibling.encode()}, yes) == ""
    assert built_in(name.encode(), name.encode(), {b"main.c"}, no) == ""


def test_a_directory_is_known_by_what_it_holds():
    assert marked({b"pyvenv.cfg"}, False) == "virtual environment"
    assert marked({b".git"}, False)
    assert not marked({b".git"}, True)
    assert not marked({b"a.py"}, False)


@for_each(
    ("name", "secret"),
    [
        (".env", True),
        (".ENV.production", True),
        (".env.example", False),
        (".env.sample", False),
        ("server.pem", True),
        ("id_ed25519", True),
        (".netrc", True),
        ("credentials.json", True),
        ("keys.py", False),
        ("environment.ts", False),
        ("credentials.py", False),
    ],
)
def test_secrets_are_known_by_name(name, secret):
    assert bool(SECRETS.decide(b"a/" + name.encode(), name.encode(), False)) is secret


@for_each(
    ("name", "secret"),
    [
        ("manager.py", False),
        ("Vault.GO", False),
        ("list.vue", False),
        ("main.tf", False),
        ("prod.yaml", True),
        ("prod.json", True),
        ("notes.txt", True),
        ("export.sh", True),
        ("dump.sql", True),
        ("prod.tfvars", True),
        ("password", True),
        ("py", True),
        ("server.pem", True),
    ],
)
def test_among_secrets_only_programs_are_none(name, secret):
    path = b"a/secrets/" + name.encode()
    assert is_secret(path, name.encode(), among_secrets=True) is secret
    assert is_secret(path, name.encode(), among_secrets=False) is (name == "server.pem")


@for_each(
    ("path", "secret"),
    [
        (".env", True),
        ("deploy/.ENV.production", True),
        (".env.example", False),
        ("certs/server.pem", True),
        (".ssh/config", True),
        ("home/.aws/config", True),
        ("secrets/notes.md", True),
        ("src/secrets/prod.yaml", True),
        ("src/secrets/manager.py", False),
        ("src/secretary/notes.md", False),
        ("src/shop/token.py", False),
        ("日本/鍵.key", True),
    ],
)
def test_a_path_alone_tells_whether_it_is_a_secret(path: str, secret: bool):
    assert is_secret_path(path) is secret
