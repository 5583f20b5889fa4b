from tests.cases import for_each

PATHS = [
    "src/net/socket.h",
    "src/util.h",
    "include/app/app.h",
    "include/string.h",
    "third/unique.h",
    "one/same.h",
    "two/same.h",
    "linux/types.h",
    "tools/x/linux/types.h",
]


@for_each("language", ["c", "cpp"])
@for_each(
    ("module", "expected"),
    [
        ('"socket.h"', "src/net/socket.h"),
        ("socket.h", "src/net/socket.h"),
        ('"../util.h"', "src/util.h"),
        ('"net/socket.h"', "src/net/socket.h"),
        ('"..\\util.h"', "src/util.h"),
        ('"app/app.h"', "include/app/app.h"),
        ("<app/app.h>", "include/app/app.h"),
        ("<string.h>", "include/string.h"),
        ("<linux/types.h>", "linux/types.h"),
        ("unique.h", "third/unique.h"),
        ("<unique.h>", "package:unique.h"),
        ("same.h", "unresolved:same.h"),
        ("Util.h", "unresolved:Util.h"),
        ("gone.h", "unresolved:gone.h"),
        ("<stdio.h>", "package:stdio.h"),
        ("<sys/types.h>", "package:sys/types.h"),
        ("<boost/asio/ip.hpp>", "package:boost"),
        ("<vector>", "package:vector"),
    ],
)
def test_a_header_is_sought_from_the_file_outwards(ask, language, module, expected):
    assert ask(language, "src/net/a.c", module, PATHS) == [expected]


def test_an_ambiguous_header_is_the_strictly_nearer_one(ask):
    assert ask("c", "one/deep/a.c", "same.h", PATHS) == ["one/same.h"]
    assert ask("c", "a.c", "<>") == []
