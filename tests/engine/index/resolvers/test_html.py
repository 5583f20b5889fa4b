from tests.cases import for_each


@for_each(
    ("module", "expected"),
    [
        ("app.js?v=2#x", ["web/app.js"]),
        ("../shared/a.css", ["shared/a.css"]),
        ("/logo.png", ["web/public/logo.png"]),
        ("gone.js", ["unresolved:gone.js"]),
        ("/gone.js", ["unresolved:/gone.js"]),
        ("{{ asset('x.js') }}", ["unresolved:{{ asset('x.js') }}"]),
        ("https://cdn.example/vue@3/x.js", ["package:cdn.example"]),
        ("//cdn.example/x.js", ["package:cdn.example"]),
        ("#top", []),
        ("data:image/png;base64,x", []),
    ],
)
def test_what_a_page_loads_is_found(ask, module, expected):
    paths = ["web/app.js", "shared/a.css", "web/public/logo.png"]
    assert ask("html", "web/index.html", module, paths) == expected
