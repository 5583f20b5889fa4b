from tests.cases import for_each

PATHS = ["lua/plug/util.lua", "lua/plug/init.lua", "game/deep/x.lua", "lua/plug/near.lua"]


@for_each(
    ("module", "expected"),
    [
        ("plug.util", "lua/plug/util.lua"),
        ("plug", "lua/plug/init.lua"),
        ("near", "lua/plug/near.lua"),
        ("deep.x", "game/deep/x.lua"),
        ("./near", "lua/plug/near.lua"),
        ("./gone", "unresolved:./gone"),
        ("cjson.safe", "package:cjson"),
        ("x", "package:x"),
        ("redis", "package:redis"),
    ],
)
def test_a_dotted_name_lies_below_a_search_root(ask, module, expected):
    assert ask("lua", "lua/plug/redis.lua", module, PATHS) == [expected]
