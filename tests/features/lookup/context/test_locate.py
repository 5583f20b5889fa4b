"""Locating: paths of other machines, of subdirectories, bare names, and what only looks like ours."""

from shirube.features.lookup.context.clues import Locator
from tests.cases import for_each
from tests.features.lookup.context.conftest import store_of

PATHS = (
    "src/shop/payment.py",
    "setup.py",
    "pkg/cart/cart_test.go",
    "pkg/order/order_test.go",
    "pkg/order/cart_test.go",
    "app/src/main/java/com/shop/Cart.java",
    "json/decoder.py",
    "vendor/node_modules/x/index.js",
    "日本/設定.py",
    "crates/shop/src/till.rs",
    "packages/till/src/node/cli.ts",
    "lib/reply.js",
    "a/util.py",
    "b/util.py",
    "c/util.py",
    "d/util.py",
)
LOCATE = Locator(store_of(dict.fromkeys(PATHS, "x = 1\n")), "/home/user/shop")


@for_each(
    ("written", "meant"),
    [
        ("src/shop/payment.py", ["src/shop/payment.py"]),
        ("./src/shop/payment.py", ["src/shop/payment.py"]),
        ("../src/shop/payment.py", ["src/shop/payment.py"]),
        ("/home/user/shop/src/shop/payment.py", ["src/shop/payment.py"]),
        ("/builds/42/project/src/shop/payment.py", ["src/shop/payment.py"]),
        ("C:\\ci\\src\\shop\\payment.py", ["src/shop/payment.py"]),
        ("///home/user/shop/setup.py", ["setup.py"]),
        ("/ci/shop/setup.py", ["setup.py"]),
        ("order_test.go", ["pkg/order/order_test.go"]),
        ("cart_test.go", ["pkg/cart/cart_test.go", "pkg/order/cart_test.go"]),
        ("com/shop/Cart.java", ["app/src/main/java/com/shop/Cart.java"]),
        ("shop/payment.py", ["src/shop/payment.py"]),
        ("/usr/lib/python3/dist-packages/shop/payment.py", ["src/shop/payment.py"]),
        ("/app/venv/lib/python3.11/site-packages/shop/payment.py", ["src/shop/payment.py"]),
        ("/opt/www/cart/cart_test.go", ["pkg/cart/cart_test.go"]),
        ("/home/user/go/pkg/mod/example.org/me/shop@v1.2.0/pkg/order/order_test.go", ["pkg/order/order_test.go"]),
        ("/home/user/.cargo/registry/src/index-6f17d22bba15001f/shop-1.2.0/src/till.rs", ["crates/shop/src/till.rs"]),
        ("/srv/node_modules/till/dist/node/cli.js", ["packages/till/src/node/cli.ts"]),
        ("/srv/node_modules/shop/lib/reply.js", ["lib/reply.js"]),
        ("設定.py", ["日本/設定.py"]),
        ("vendor/node_modules/x/index.js", ["vendor/node_modules/x/index.js"]),
    ],
)
def test_the_file_that_is_meant_is_found(written: str, meant: list[str]):
    assert list(LOCATE(written)) == meant


@for_each(
    "written",
    [
        "/usr/lib/python3.11/json/decoder.py",
        "/usr/lib/python3.11/setup.py",
        "/opt/venv/site-packages/other/payment.py",
        "/opt/venv/site-packages/payment.py",
        "node_modules/x/index.js",
        "/rustc/59807616/library/core/src/ops/function.rs",
        "<string>",
        "util.py",
        "gone.py",
        "",
        "..",
        "/",
    ],
)
def test_what_belongs_to_others_or_could_be_anything_is_not_taken_for_ours(written: str):
    assert LOCATE(written) == ()


def test_the_line_that_a_trace_shows_is_the_nearest_with_its_code():
    locate = Locator(store_of({"a.py": "go()\nx = 1\n  go()\ny = 2\ngo()\n"}), "/home/user/shop")
    assert [locate.nearest("a.py", number, "go()") for number in (1, 2, 4, 9)] == [1, 1, 3, 5]
    assert locate.nearest("a.py", 7, "gone()") == 7
