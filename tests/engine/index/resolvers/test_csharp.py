from tests.cases import for_each

PATHS = [
    "src/Acme.Core/Acme.Core.csproj",
    "src/Acme.Core/Text/Cut.cs",
    "src/Acme.Core/Text/Join.cs",
    "src/Acme.Core/Root.cs",
    "old/Billing/Tax/Rate.cs",
    "a/Models/One.cs",
    "b/Models/Two.cs",
    "System/Odd.cs",
]


@for_each(
    ("module", "expected"),
    [
        ("Acme.Core.Text", ["src/Acme.Core/Text/Cut.cs", "src/Acme.Core/Text/Join.cs"]),
        ("Acme.Core", ["src/Acme.Core/Root.cs"]),
        ("Acme.Core.Text.Cut", ["src/Acme.Core/Text/Cut.cs"]),
        ("global::Billing.Tax", ["old/Billing/Tax/Rate.cs"]),
        ("Models", ["package:Models"]),
        ("System", ["package:System"]),
        ("System.Text.Json", ["package:System.Text"]),
        ("Newtonsoft.Json.Linq", ["package:Newtonsoft.Json"]),
        ("acme.core", ["package:acme.core"]),
        ("", []),
    ],
)
def test_a_namespace_is_files_only_when_it_points_to_one_place(ask, module, expected):
    assert ask("csharp", "src/App/Main.cs", module, PATHS) == expected
