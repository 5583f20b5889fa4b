from tests.cases import for_each

PATHS = [
    "lib/my_app/accounts/user.ex",
    "lib/my_app/accounts/team.ex",
    "lib/my_app_web/controllers/page_controller.ex",
]


@for_each(
    ("module", "names", "expected"),
    [
        ("MyApp.Accounts.User", (), [PATHS[0]]),
        ("MyApp.Accounts", ("User", "Team"), [PATHS[1], PATHS[0]]),
        ("MyAppWeb.PageController", (), [PATHS[2]]),
        ("MyApp.Gone", (), ["unresolved:MyApp.Gone"]),
        ("Ecto.Query", (), ["package:Ecto"]),
        ("GenServer", (), ["package:GenServer"]),
    ],
)
def test_a_module_in_snake_case_is_the_tail_of_a_path(ask, module, names, expected):
    assert ask("elixir", "lib/my_app/a.ex", module, PATHS, names=names) == expected
