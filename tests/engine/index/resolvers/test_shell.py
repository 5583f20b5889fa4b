from tests.cases import for_each

PATHS = ["scripts/lib/log.sh", "scripts/env", "tools/unique.sh", "a/same.sh", "b/same.sh"]


@for_each(
    ("module", "expected"),
    [
        ("./lib/log.sh", "scripts/lib/log.sh"),
        ('"$DIR/lib/log.sh"', "scripts/lib/log.sh"),
        ('"${BASH_SOURCE%/*}/lib/log.sh"', "scripts/lib/log.sh"),
        ('"$(dirname "$0")"/lib/log.sh', "scripts/lib/log.sh"),
        ("env", "scripts/env"),
        ("scripts/env", "scripts/env"),
        ("$ROOT/unique.sh", "tools/unique.sh"),
        ("$ROOT/same.sh", "unresolved:$ROOT/same.sh"),
        ("/etc/profile", "unresolved:/etc/profile"),
        ("~/.bashrc", "unresolved:~/.bashrc"),
        ("$FILE", "unresolved:$FILE"),
    ],
)
def test_a_sourced_script_is_a_file_and_never_a_package(ask, module, expected):
    assert ask("bash", "scripts/run.sh", module, PATHS) == [expected]
