import os
import subprocess
import sys
from pathlib import Path

import pytest

from shirube import config
from shirube.codec import replace
from shirube.config import (
    MAX_FILE_BYTES,
    PROJECT_MAY_SET,
    child_environment,
    client_session,
    default_root,
    fingerprint,
    home_directory,
    load_config,
    own_directories,
    reader_language,
)
from shirube.errors import BadArgument, ConfigError, UnknownName, UsageError
from shirube.settings import Config, FieldWeights, choices, sections, setting_names
from tests.cases import for_each
from tests.refusals import refusal


class Place:
    """A user's directory, a project and an environment, all in one temporary place."""

    def __init__(self, base: Path) -> None:
        self.base = base
        self.root = base / "project"
        (self.root / ".shirube").mkdir(parents=True)
        (base / "config").mkdir()
        self.environ = {"HOME": str(base / "home"), "SHIRUBE_CONFIG_DIR": str(base / "config")}

    def user(self, text: str) -> "Place":
        (self.base / "config" / "config.toml").write_text(text, "utf-8")
        return self

    def project(self, text: str) -> "Place":
        (self.root / ".shirube" / "config.toml").write_text(text, "utf-8")
        return self

    def kiri(self, text: str) -> "Place":
        (self.root / "config").mkdir()
        (self.root / "config" / "default.yml").write_text(text, "utf-8")
        return self

    def env(self, **variables: str) -> "Place":
        self.environ.update(variables)
        return self

    def load(self, flags: dict[str, object] | None = None) -> Config:
        return load_config(self.root, flags, self.environ)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def test_defaults_fill_every_setting(place: Place):
    config = place.load()
    assert config.search.limit == 10
    assert config.search.mode == "auto"
    assert config.search.fields.symbols == 0.5
    assert config.index.source_dirs == ()
    assert config.store.backend == "embedded"
    assert config.serve.toolsets == "core"
    assert config.sources == ("defaults",)
    assert config.refused == ()


def test_every_right_names_a_setting_that_exists():
    for section, keys in PROJECT_MAY_SET.items():
        assert keys <= set(sections()[section].__struct_fields__)


@pytest.mark.parametrize("depth", range(5))
def test_a_later_source_wins_over_every_earlier_one(place: Place, depth: int):
    """Defaults 10 < user 11 < project 12 < environment 13 < flag 14."""
    if depth >= 1:
        place.user("[search]\nlimit = 11\n")
    if depth >= 2:
        place.project("[search]\nlimit = 12\n")
    if depth >= 3:
        place.env(SHIRUBE_SEARCH_LIMIT="13")
    flags: dict[str, object] = {"search.limit": 14} if depth >= 4 else {}
    assert place.load(flags).search.limit == 10 + depth


def test_a_source_that_sets_one_key_leaves_its_neighbours_alone(place: Place):
    place.user("[search]\nlimit = 3\n[search.fields]\npath = 5.0\n").project('[search]\nmode = "dense"\n')
    search = place.load().search
    assert (search.limit, search.mode, search.fields.path, search.fields.symbols) == (3, "dense", 5.0, 0.5)


def test_the_sources_that_took_part_are_named_in_their_order(place: Place):
    place.user("[search]\nlimit = 3\n").project("[search]\nlimit = 4\n")
    assert place.load().sources == (
        "defaults",
        str(place.base / "config" / "config.toml"),
        str(Path(".shirube") / "config.toml"),
    )


def test_without_a_project_only_the_users_file_is_read(place: Place):
    place.user("[search]\nlimit = 3\n").project("[search]\nlimit = 4\n")
    assert load_config(None, None, place.environ).search.limit == 3


def test_the_environment_is_read_when_none_is_given(state_dirs, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("SHIRUBE_SEARCH_LIMIT", "7")
    config = load_config()
    assert config.search.limit == 7
    assert config.cache_dir == state_dirs.cache
    assert config.state_dir == state_dirs.state


@pytest.mark.parametrize(
    ("variable", "text", "section", "key", "value"),
    [
        ("SHIRUBE_INDEX_WORKERS", "3", "index", "workers", 3),
        ("SHIRUBE_INDEX_SYNC_TTL_HOURS", "0.5", "index", "sync_ttl_hours", 0.5),
        ("SHIRUBE_INDEX_SYNC_ON_START", "no", "index", "sync_on_start", False),
        ("SHIRUBE_INDEX_INCLUDE_SECRETS", "TRUE", "index", "include_secrets", True),
        ("SHIRUBE_INDEX_SOURCE_DIRS", "src, lib", "index", "source_dirs", ("src", "lib")),
        ("SHIRUBE_LOG_LEVEL", "debug", "log", "level", "debug"),
        ("SHIRUBE_SERVE_TOOLSETS", "all", "serve", "toolsets", "all"),
    ],
)
def test_a_setting_is_taken_from_the_variable_of_its_name(place: Place, variable, text, section, key, value):
    config = place.env(**{variable: text}).load()
    assert getattr(getattr(config, section), key) == value


def test_a_nested_setting_has_a_variable_too(place: Place):
    assert place.env(SHIRUBE_SEARCH_FIELDS_PATH="3").load().search.fields.path == 3.0


def test_tables_whose_names_are_free_have_no_variable(place: Place):
    assert not [name for name in setting_names() if name.startswith(("search.profiles", "search.boosts"))]
    with pytest.raises(UnknownName):
        place.env(SHIRUBE_SEARCH_PROFILES_DEFAULT_TEXT="2").load()


def test_a_profile_of_ones_own_takes_what_it_leaves_out_from_the_default_one(place: Place):
    place.user("[search.profiles.mine]\npath = 9.0\nroles = { test = 2.0 }\n[search.boosts.mine]\ntest = 3.0\n")
    search = place.load().search
    assert search.profiles["mine"] == replace(search.profiles["default"], path=9.0, roles={"test": 2.0})
    assert search.boosts["mine"] == replace(search.boosts["default"], test=3.0)


def test_a_change_to_a_profile_leaves_its_other_values_alone(place: Place):
    before = place.load().search.profiles["bugfix"]
    after = place.user("[search.profiles.bugfix]\npath = 9.0\n").load().search.profiles["bugfix"]
    assert after == replace(before, path=9.0)


@pytest.mark.parametrize(
    ("text", "nearest"),
    [
        ("[search.profiles.mine]\npth = 1.0\n", "path"),
        ("[search.boosts.mine]\ntests = 1.0\n", "test"),
        ("[search.signals]\nphrases = 1.0\n", "phrase"),
    ],
)
def test_an_unknown_key_of_a_profile_is_refused_and_the_nearest_named(place: Place, text: str, nearest: str):
    with pytest.raises(UnknownName) as caught:
        place.project(text).load()
    assert caught.value.nearest == nearest


@pytest.mark.parametrize("line", ["profiles = 3", "boosts = []", "profiles = { mine = 3 }", "signals = 1"])
def test_a_table_that_is_no_table_is_refused_by_name(place: Place, line: str):
    with pytest.raises((UsageError, ConfigError), match=line.split(maxsplit=1)[0]):
        place.user(f"[search]\n{line}\n").load()


def test_every_setting_has_a_variable_of_its_own():
    names = [name.replace(".", "_").upper() for name in setting_names()]
    assert len(set(names)) == len(names)


def test_an_unknown_variable_is_refused_and_the_nearest_named(place: Place):
    with pytest.raises(UnknownName, match="SHIRUBE_SEARCH_LIMT") as caught:
        place.env(SHIRUBE_SEARCH_LIMT="3").load()
    assert caught.value.nearest == "SHIRUBE_SEARCH_LIMIT"


def test_foreign_variables_are_left_alone(place: Place):
    assert place.env(SHIRU="1", PATH="/bin", LIMIT="9").load().search.limit == 10


@pytest.mark.parametrize("who", ["user", "project"])
def test_an_unknown_key_is_refused_and_the_nearest_named(place: Place, who: str):
    getattr(place, who)("[search]\nlimt = 3\n")
    with pytest.raises(UnknownName, match="limt") as caught:
        place.load()
    assert caught.value.nearest == "limit"
    assert "config.toml" in caught.value.message


@pytest.mark.parametrize("who", ["user", "project"])
def test_an_unknown_section_is_refused_and_the_nearest_named(place: Place, who: str):
    getattr(place, who)("[serch]\nlimit = 3\n")
    with pytest.raises(UnknownName) as caught:
        place.load()
    assert caught.value.nearest == "search"


def test_an_unknown_key_of_a_table_in_a_section_is_refused(place: Place):
    with pytest.raises(UnknownName) as caught:
        place.user("[search.fields]\nsymbol = 3\n").load()
    assert caught.value.nearest == "symbols"


def test_an_unknown_key_in_a_flag_is_refused_and_the_nearest_named(place: Place):
    with pytest.raises(UnknownName) as caught:
        place.load({"index.worker": 1})
    assert caught.value.nearest == "workers"


@pytest.mark.parametrize("flag", ["indx.workers", "workers"])
def test_a_flag_of_no_section_is_refused(place: Place, flag: str):
    with pytest.raises(UnknownName):
        place.load({flag: 1})


def test_a_section_that_is_no_table_is_refused(place: Place):
    with refusal(ConfigError, "config.no_table"):
        place.user("search = 3\n").load()


@pytest.mark.parametrize("setting", [name for name in setting_names() if choices(name)])
def test_a_value_that_is_no_choice_is_refused_and_the_nearest_named(place: Place, setting: str):
    section, key = setting.split(".")
    known = choices(setting)[0]
    with pytest.raises(UnknownName, match=setting) as caught:
        place.user(f'[{section}]\n{key} = "{known}x"\n').load()
    assert caught.value.nearest == known


@pytest.mark.parametrize(
    "line",
    [
        'limit = "many"',
        "limit = -1",
        "limit = true",
        "limit = []",
        "limit = 1.5",
        "limit = inf",
        "fields = 3",
    ],
)
def test_a_value_that_does_not_fit_is_refused_by_name(place: Place, line: str):
    with pytest.raises((UsageError, ConfigError), match=line.split(maxsplit=1)[0]):
        place.user(f"[search]\n{line}\n").load()


@pytest.mark.parametrize("line", ["source_dirs = 5", 'sync_on_start = "maybe"', "sync_ttl_hours = nan"])
@pytest.mark.parametrize("who", ["user", "project"])
def test_a_value_of_the_wrong_kind_is_refused_by_name(place: Place, who: str, line: str):
    getattr(place, who)(f"[index]\n{line}\n")
    with pytest.raises((UsageError, ConfigError), match=line.split(maxsplit=1)[0]):
        place.load()


def test_a_value_that_does_not_fit_says_what_would(place: Place):
    with pytest.raises(BadArgument) as caught:
        place.env(SHIRUBE_INDEX_WORKERS="two").load()
    assert caught.value.as_dict() == {
        "code": "bad_argument",
        "message": "index.workers = 'two' does not fit",
        "hint": "it must be a number",
    }


@pytest.mark.parametrize("who", ["user", "project"])
@pytest.mark.parametrize("data", [b"[search\nlimit = ", b"\xff\xfe[search]"], ids=["syntax", "encoding"])
def test_a_file_that_is_not_toml_is_named_with_the_way_out(place: Place, who: str, data: bytes):
    file = place.root / ".shirube" if who == "project" else place.base / "config"
    (file / "config.toml").write_bytes(data)
    with pytest.raises(ConfigError, match="not valid TOML") as caught:
        place.load()
    assert str(file / "config.toml") in caught.value.message
    assert caught.value.hint == "mend the file or remove it"


def test_a_configuration_that_cannot_be_read_is_told(place: Place):
    (place.base / "config" / "config.toml").mkdir()
    with refusal(ConfigError, "config.not_file"):
        place.load()


def config_file(place: Place, who: str) -> Path:
    return (place.root / ".shirube" if who == "project" else place.base / "config") / "config.toml"


@pytest.mark.parametrize("who", ["user", "project"])
def test_a_configuration_that_is_too_large_is_refused_with_a_next_step(place: Place, who: str):
    file = config_file(place, who)
    file.write_text("[search]\nlimit = 5\n".ljust(MAX_FILE_BYTES, "\n"))
    assert place.load().search.limit == 5
    file.write_text(file.read_text() + "\n")
    with pytest.raises(ConfigError, match="more than 256 kB") as caught:
        place.load()
    assert "remove it" in caught.value.hint


@pytest.mark.parametrize("who", ["user", "project"])
def test_a_configuration_that_nests_without_end_is_refused(place: Place, who: str):
    config_file(place, who).write_text("x = " + "[" * 100_000)
    with pytest.raises(ConfigError, match="not valid TOML"):
        place.load()


@pytest.mark.parametrize("who", ["user", "project"])
def test_a_configuration_that_is_no_file_is_refused_and_not_waited_for(place: Place, who: str):
    os.mkfifo(config_file(place, who))
    with refusal(ConfigError, "config.not_file"):
        place.load()


@pytest.mark.parametrize("weight", ["0", "0.0"])
def test_weights_with_which_nothing_could_be_found_are_refused(place: Place, weight: str):
    names = FieldWeights.__struct_fields__
    place.project("[search.fields]\n" + "".join(f"{name} = {weight}\n" for name in names))
    with pytest.raises(ConfigError, match="all 0") as caught:
        place.load()
    assert "weight above 0" in caught.value.hint
    place.env(SHIRUBE_SEARCH_FIELDS_PATH="0.5")
    assert place.load().search.fields.path == 0.5


# --- the trust rule ----------------------------------------------------------------------------------------

BEYOND_ITS_RIGHTS = [
    name for name in setting_names() if name.split(".")[1] not in PROJECT_MAY_SET.get(name.split(".")[0], ())
]


@pytest.mark.parametrize("setting", BEYOND_ITS_RIGHTS)
def test_a_project_may_not_set_what_reaches_beyond_it(place: Place, setting: str):
    section, key = setting.split(".")
    before = place.load()
    value = {"projects": f'["{place.root}"]', "include_secrets": "true"}.get(key, "1")
    config = place.project(f"[{section}]\n{key} = {value}\n").load()
    assert getattr(config, section) == getattr(before, section)
    (refusal,) = config.refused
    assert setting in refusal
    assert ("trust.projects" in refusal) == (setting != "store.address"), "that is never a project's to say"


def test_the_sections_of_machine_and_user_are_closed_to_projects():
    assert {"store", "embed", "log", "trust"} <= set(sections()) - set(PROJECT_MAY_SET)
    assert "index.workers" in BEYOND_ITS_RIGHTS
    assert "index.include_secrets" in BEYOND_ITS_RIGHTS
    assert "serve.max_line_bytes" in BEYOND_ITS_RIGHTS


def test_what_a_project_may_set_holds_beside_what_it_may_not(place: Place):
    config = place.project('[search]\nlimit = 5\n[store]\nbackend = "memory"\n').load()
    assert (config.search.limit, config.store.backend) == (5, "embedded")
    assert len(config.refused) == 1


@pytest.mark.parametrize("entry", ["..", "../other", "src/../..", "/etc", "~", "~/x", "..\\\\other"])
def test_a_project_may_not_index_what_lies_outside_it(place: Place, entry: str):
    config = place.project(f'[index]\nsource_dirs = ["src", "{entry}"]\n').load()
    assert config.index.source_dirs == ()
    assert "leaves the project" in config.refused[0]


@pytest.mark.parametrize("text", ["..", "src,..", "../other"])
def test_a_list_written_as_one_string_does_not_slip_past_the_trust_rule(place: Place, text: str):
    config = place.project(f'[index]\nsource_dirs = "{text}"\n').load()
    assert config.index.source_dirs == ()
    assert "leaves the project" in config.refused[0]


def test_a_project_may_narrow_itself_to_its_own_directories(place: Place):
    config = place.project('[index]\nsource_dirs = ["src", "a..b/c"]\nexcludes = ["*.gen.py"]\n').load()
    assert config.index.source_dirs == ("src", "a..b/c")
    assert config.index.excludes == ("*.gen.py",)
    assert config.refused == ()


def test_a_project_the_user_trusts_may_set_everything(place: Place):
    place.user(f'[trust]\nprojects = ["{place.root.resolve()}"]\n')
    config = place.project('[store]\nbackend = "memory"\n[index]\nworkers = 3\n').load()
    assert (config.store.backend, config.index.workers, config.refused) == ("memory", 3, ())


def test_trust_in_one_project_does_not_reach_another(place: Place):
    place.user(f'[trust]\nprojects = ["{place.root.resolve()}x", "{place.base}"]\n')
    config = place.project('[store]\nbackend = "memory"\n').load()
    assert config.store.backend == "embedded"
    assert config.refused


def test_a_project_cannot_trust_itself(place: Place):
    config = place.project(f'[trust]\nprojects = ["{place.root.resolve()}"]\n[store]\nbackend = "memory"\n').load()
    assert (config.trust.projects, config.store.backend) == ((), "embedded")
    assert len(config.refused) == 2


def test_no_project_decides_to_which_server_its_code_is_sent_not_even_a_trusted_one(place: Place):
    place.project('[store]\nbackend = "postgres"\naddress = "postgresql://evil/x"\nbusy_seconds = 3\n')
    for trusted in (False, True):
        place.env(SHIRUBE_TRUST_PROJECTS=str(place.root.resolve()) if trusted else "")
        config = place.load()
        assert (config.store.backend, config.store.address) == ("postgres" if trusted else "embedded", "")
        told = [note.values["name"] for note in config.refused if note.code == "config.never"]
        assert told == ["store.address"]


def test_the_address_of_a_server_comes_from_the_user_or_the_environment(place: Place):
    place.user('[store]\nbackend = "postgres"\naddress = "postgresql://db/x"\n')
    assert (place.load().store.backend, place.load().store.address) == ("postgres", "postgresql://db/x")
    place.env(SHIRUBE_STORE_ADDRESS="postgresql://other/y", SHIRUBE_STORE_BACKEND="embedded")
    assert (place.load().store.backend, place.load().store.address) == ("embedded", "postgresql://other/y")


@pytest.mark.parametrize("linked", [".shirube/config.toml", ".shirube"])
def test_a_projects_file_that_leads_out_of_it_is_read_only_when_the_project_is_trusted(place: Place, linked: str):
    elsewhere = place.base / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "config.toml").write_text("[search]\nlimit = 5\n")
    if linked == ".shirube":
        (place.root / ".shirube").rmdir()
    (place.root / linked).symlink_to(elsewhere if linked == ".shirube" else elsewhere / "config.toml")
    config = place.load()
    assert config.search.limit == 10
    assert config.sources == ("defaults",)
    (note,) = config.refused
    assert "leads out of the project" in note
    place.env(SHIRUBE_TRUST_PROJECTS=str(place.root.resolve()))
    assert (place.load().search.limit, place.load().refused) == (5, ())


def test_a_link_that_stays_in_the_project_is_followed(place: Place):
    (place.root / "settings.toml").write_text("[search]\nlimit = 5\n")
    (place.root / ".shirube" / "config.toml").symlink_to("../settings.toml")
    assert place.load().search.limit == 5


def test_a_link_in_the_users_own_directory_is_followed(place: Place):
    (place.base / "dotfiles.toml").write_text("[search]\nlimit = 5\n")
    (place.base / "config" / "config.toml").symlink_to(place.base / "dotfiles.toml")
    assert place.load().search.limit == 5


def test_trust_may_be_given_by_the_environment(place: Place):
    place.project('[store]\nbackend = "memory"\n').env(SHIRUBE_TRUST_PROJECTS=str(place.root.resolve()))
    assert place.load().store.backend == "memory"


# --- the seeds' switches -----------------------------------------------------------------------------------


@pytest.mark.requirement("001-TOK-04")
@pytest.mark.parametrize("strategy", choices("search.tokenization"))
def test_the_seeds_variable_for_tokenization_keeps_working(place: Place, strategy: str):
    assert place.env(KIRI_TOKENIZATION_STRATEGY=strategy).load().search.tokenization == strategy


def test_our_own_variable_wins_over_the_seeds(place: Place):
    place.env(SHIRUBE_SEARCH_TOKENIZATION="hybrid", KIRI_TOKENIZATION_STRATEGY="legacy")
    assert place.load().search.tokenization == "hybrid"


def test_a_seeds_variable_with_a_wrong_value_is_refused(place: Place):
    with pytest.raises(UnknownName) as caught:
        place.env(KIRI_TOKENIZATION_STRATEGY="legcy").load()
    assert caught.value.nearest == "legacy"


@pytest.mark.requirement("001-TOK-05")
@pytest.mark.parametrize(
    "text",
    [
        "tokenization:\n  strategy: legacy\n",
        'other: 1\ntokenization:\n  # a comment\n  words: 3\n  strategy: "legacy"\nmore: 2\n',
        "tokenization:   \n\tstrategy: 'legacy'\n",
    ],
)
def test_the_seeds_file_for_tokenization_keeps_working(place: Place, text: str):
    assert place.kiri(text).load().search.tokenization == "legacy"


@pytest.mark.parametrize(
    "text",
    ["tokenization:\n  strategy: nonsense\n", "strategy: legacy\n", "x:\n  tokenization: legacy\n", ""],
)
def test_a_seeds_file_that_says_nothing_usable_changes_nothing(place: Place, text: str):
    assert place.kiri(text).load().search.tokenization == "phrase-aware"


def test_a_seeds_file_that_is_huge_or_leads_out_of_the_project_changes_nothing(place: Place):
    text = "tokenization:\n  strategy: legacy\n"
    place.kiri(text + "#" * MAX_FILE_BYTES)
    assert place.load().search.tokenization == "phrase-aware"
    (place.base / "outside.yml").write_text(text)
    (place.root / "config" / "default.yml").unlink()
    (place.root / "config" / "default.yml").symlink_to(place.base / "outside.yml")
    assert place.load().search.tokenization == "phrase-aware"


def test_the_projects_own_file_wins_over_the_seeds(place: Place):
    place.kiri("tokenization:\n  strategy: legacy\n").project('[search]\ntokenization = "hybrid"\n')
    assert place.load().search.tokenization == "hybrid"


def test_a_long_block_without_a_strategy_in_the_seeds_file_is_read_in_no_time(place: Place):
    """In a process of its own, because a regular expression that runs away cannot be stopped."""
    place.kiri("tokenization:\n" + "      - word\n" * 40 + "other: 1\n")
    program = "import sys, pathlib; from shirube.config import load_config; load_config(pathlib.Path(sys.argv[1]))"
    subprocess.run([sys.executable, "-c", program, str(place.root)], check=True, timeout=120, env=place.environ)


# --- directories -------------------------------------------------------------------------------------------


def test_directories_follow_the_xdg_variables(tmp_path: Path):
    env = {"HOME": "/h", "XDG_CACHE_HOME": str(tmp_path / "c"), "XDG_STATE_HOME": str(tmp_path / "s")}
    config = load_config(None, None, env)
    assert config.cache_dir == tmp_path / "c" / "shirube"
    assert config.state_dir == tmp_path / "s" / "shirube"


def test_relative_xdg_values_are_ignored(tmp_path: Path):
    env = {"HOME": str(tmp_path), "XDG_CACHE_HOME": "c", "XDG_STATE_HOME": "./s", "XDG_CONFIG_HOME": "."}
    config = load_config(None, None, env)
    assert config.cache_dir == tmp_path / ".cache" / "shirube"
    assert config.state_dir == tmp_path / ".local" / "state" / "shirube"


def test_the_users_file_is_found_where_xdg_says(tmp_path: Path):
    (tmp_path / "x" / "shirube").mkdir(parents=True)
    (tmp_path / "x" / "shirube" / "config.toml").write_text("[search]\nlimit = 4\n")
    env = {"HOME": str(tmp_path / "h"), "XDG_CONFIG_HOME": str(tmp_path / "x")}
    assert load_config(None, None, env).search.limit == 4


def test_the_users_file_is_found_in_the_home_directory(tmp_path: Path):
    (tmp_path / ".config" / "shirube").mkdir(parents=True)
    (tmp_path / ".config" / "shirube" / "config.toml").write_text("[search]\nlimit = 4\n")
    assert load_config(None, None, {"HOME": str(tmp_path)}).search.limit == 4


def test_our_own_directory_variables_win_over_xdg(tmp_path: Path):
    env = {"HOME": "/h", "XDG_CACHE_HOME": "/x", "SHIRUBE_CACHE_DIR": str(tmp_path)}
    assert load_config(None, None, env).cache_dir == tmp_path


def test_loading_creates_nothing(place: Place):
    before = sorted(place.base.rglob("*"))
    place.load()
    assert sorted(place.base.rglob("*")) == before


def test_a_child_process_is_given_only_what_it_needs():
    given = {"PATH": "/bin", "HOME": "/h", "AWS_SECRET_ACCESS_KEY": "s", "GIT_DIR": "/evil", "LD_PRELOAD": "x"}
    assert child_environment(given) == {"PATH": "/bin", "HOME": "/h"}


def test_the_root_a_client_names_is_taken_ours_first(tmp_path: Path):
    assert default_root({}) is None
    assert default_root({"CLAUDE_PROJECT_DIR": str(tmp_path)}) == tmp_path
    assert default_root({"CLAUDE_PROJECT_DIR": str(tmp_path), "SHIRUBE_ROOT": "/s"}) == Path("/s")
    assert default_root({"SHIRUBE_ROOT": ""}) is None


def test_a_clients_root_that_is_no_directory_is_passed_over(tmp_path: Path):
    assert default_root({"CLAUDE_PROJECT_DIR": str(tmp_path / "missing")}) is None


@pytest.mark.parametrize(
    "line", ["candidates = 100000000000", "limit = 1000000000", "preview_lines = 99999999999999999999"]
)
def test_a_project_cannot_ask_for_all_memory_there_is(place: Place, line: str):
    with pytest.raises((UsageError, ConfigError), match=line.split(maxsplit=1)[0]):
        place.project(f"[search]\n{line}\n").load()


def test_a_relative_directory_is_meant_from_where_we_are(place: Place, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    assert load_config(None, None, {**place.environ, "SHIRUBE_CACHE_DIR": "cc"}).cache_dir == tmp_path / "cc"


@for_each(("key", "known"), [("profile", "default"), ("boost_profile", "default")])
def test_a_profile_nobody_knows_is_refused_when_it_is_read(key: str, known: str):
    with pytest.raises(UnknownName, match=f"search.{key}"):
        load_config(flags={f"search.{key}": "nosuch"}, environ={"HOME": "/"})
    assert getattr(load_config(flags={f"search.{key}": known}, environ={"HOME": "/"}).search, key) == known


def test_a_role_nobody_knows_is_refused_in_a_profile():
    with pytest.raises(UnknownName, match="role"):
        load_config(flags={"search.profiles": {"default": {"roles": {"nosuch": 1}}}}, environ={"HOME": "/"})


@pytest.mark.parametrize("name", ["HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"])
@pytest.mark.parametrize(("value", "offline"), [("1", True), ("true", True), ("YES", True), ("0", False), ("", False)])
def test_the_switch_by_which_other_programs_stay_off_the_network_is_heeded(
    place: Place, name: str, value: str, offline: bool
):
    assert place.user("[embed]\noffline = false\n").env(**{name: value}).load().embed.offline is offline


def test_our_own_switch_stays_off_the_network_too_and_has_the_last_word(place: Place):
    assert place.user("[embed]\noffline = true\n").load().embed.offline
    assert not place.env(HF_HUB_OFFLINE="1", SHIRUBE_EMBED_OFFLINE="false").load().embed.offline


@pytest.mark.parametrize(
    ("variables", "expected"),
    [
        ({}, "home/.cache/huggingface/hub"),
        ({"XDG_CACHE_HOME": "{base}/xdg"}, "xdg/huggingface/hub"),
        ({"HF_HOME": "{base}/hf", "XDG_CACHE_HOME": "{base}/xdg"}, "hf/hub"),
        ({"HUGGINGFACE_HUB_CACHE": "{base}/old", "HF_HOME": "{base}/hf"}, "old"),
        ({"HF_HUB_CACHE": "{base}/new", "HUGGINGFACE_HUB_CACHE": "{base}/old"}, "new"),
    ],
)
def test_models_that_other_programs_fetched_are_looked_for_where_those_keep_them(
    place: Place, variables: dict[str, str], expected: str
):
    named = {name: value.format(base=place.base) for name, value in variables.items()}
    assert place.env(**named).load().hub_dir == place.base / expected


def test_a_project_cannot_choose_which_model_is_loaded_or_from_where(place: Place):
    config = place.project('[embed]\nmodel = "e5"\nsource = "/somewhere/bad"\n').load()
    assert (config.embed.model, config.embed.source) == ("static", "intfloat/multilingual-e5-small")
    assert len(config.refused) == 2


@pytest.mark.parametrize("name", ["SHIRUBE_TEAM_TOKEN", "SHIRUBE_STARTED"])
def test_what_agents_and_our_own_processes_are_given_is_no_setting(
    name: str, state_dirs, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv(name, "value")
    assert load_config(None).team.metrics_token == ""


def test_the_home_is_read_from_the_environment():
    assert home_directory({"HOME": "/h", "USERPROFILE": "/u"}) == Path("/h")
    assert home_directory({"USERPROFILE": "/u"}) == Path("/u")
    assert home_directory({}) == Path.home()


def test_a_project_may_not_have_programs_started(tmp_path: Path):
    (tmp_path / ".shirube").mkdir()
    (tmp_path / ".shirube" / "config.toml").write_text("[commands]\nexternal = true\n")
    config = load_config(tmp_path, environ={"HOME": str(tmp_path / "home")})
    assert config.commands.external is False
    assert "commands.external may only be set by the user" in config.refused[0]


@pytest.mark.parametrize(
    ("user", "project", "mode"),
    [("", "block", "block"), ("block", "advise", "block"), ("block", "off", "block"), ("off", "block", "block")],
)
def test_a_project_can_make_the_gate_stronger_but_not_weaker(place: Place, user: str, project: str, mode: str):
    if user:
        place.user(f'[gate]\nmode = "{user}"\n')
    config = place.project(f'[gate]\nmode = "{project}"\nexempt = ["**"]\n').load()
    assert config.gate.mode == mode
    assert "**" not in config.gate.exempt
    assert len(config.refused) == 1 + (mode != project)


def test_where_things_are_is_told_without_loading_every_setting(place: Place):
    assert set(own_directories({"HOME": "/h"})) == {"config", "cache", "state"}
    assert own_directories({"SHIRUBE_STATE_DIR": "/s"})["state"] == Path("/s")
    assert client_session({"CLAUDE_CODE_SESSION_ID": "c"}) == "c"
    assert client_session({}) == ""


def test_the_fingerprint_is_made_of_every_file_that_loading_reads(place: Place, monkeypatch: pytest.MonkeyPatch):
    place.user("[search]\nlimit = 7\n").project("[search]\nlimit = 8\n")
    for name in ("default.yml", "scoring-profiles.yml"):
        (place.root / "config").mkdir(exist_ok=True)
        (place.root / "config" / name).write_text("a: 1\n")
    read: list[Path] = []
    beginning = config._beginning
    monkeypatch.setattr(config, "_beginning", lambda path: (read.append(path), beginning(path))[1])
    place.load()
    by_loading = {*read, config.DEFAULTS}
    read.clear()
    fingerprint(place.root, place.environ)
    assert set(read) == by_loading
    assert len(by_loading) == 5


def test_the_fingerprint_is_another_when_anything_it_is_made_of_is_another(place: Place, tmp_path: Path):
    seen = [fingerprint(place.root, place.environ)]
    assert seen[0] == fingerprint(place.root, place.environ)
    place.user("")
    seen.append(fingerprint(place.root, place.environ))
    place.project('[gate]\nmode = "block"\n')
    seen.append(fingerprint(place.root, place.environ))
    file = place.root / ".shirube" / "config.toml"
    was = file.stat()
    file.write_text('[gate]\nmode = "bl0ck"\n')
    os.utime(file, ns=(was.st_atime_ns, was.st_mtime_ns))
    seen.append(fingerprint(place.root, place.environ))
    file.rename(tmp_path / "elsewhere.toml")
    file.symlink_to(tmp_path / "elsewhere.toml")
    seen.append(fingerprint(place.root, place.environ))
    seen.append(fingerprint(place.root, {**place.environ, "SHIRUBE_GATE_MODE": "off"}))
    seen.append(fingerprint(tmp_path, place.environ))
    assert len(set(seen)) == len(seen) == 7
    assert all(seen)


@pytest.mark.parametrize("made", [os.mkfifo, lambda path: path.write_bytes(b"#" * 300_000)])
def test_what_cannot_be_read_has_no_fingerprint(place: Place, made):
    made(place.root / ".shirube" / "config.toml")
    assert fingerprint(place.root, place.environ) == ""


@for_each(
    ("environ", "language"),
    [
        ({}, "en"),
        ({"LANG": "ja_JP.UTF-8"}, "ja"),
        ({"LC_ALL": "C", "LANG": "ja_JP.UTF-8"}, "en"),
        ({"LC_MESSAGES": "ja_JP.eucJP", "LANG": "en_US.UTF-8"}, "ja"),
        ({"SHIRUBE_LANG": "en", "LC_ALL": "ja_JP.UTF-8"}, "en"),
        ({"SHIRUBE_LANG": "ja"}, "ja"),
    ],
)
def test_the_language_of_the_terminal_is_chosen_or_the_locales(environ: dict[str, str], language: str):
    assert reader_language(environ) == language


@pytest.mark.parametrize("key", ["bias", "coverage", "lead", "defined", "unworded", "sure"])
def test_a_retired_setting_is_read_and_changes_nothing(place: Place, key: str):
    plain = place.load()
    assert place.project(f"[search.confidence]\n{key} = 0.5\n").load().search == plain.search


def test_beside_retired_settings_one_that_holds_is_used_and_an_unknown_one_refused(place: Place):
    assert place.project("[search.confidence]\nsure = 0.5\nfound = 0.9\n").load().search.confidence.found == 0.9
    with pytest.raises(UnknownName) as caught:
        place.project("[search.confidence]\nsure = 0.5\nfounds = 0.9\n").load()
    assert caught.value.nearest == "found"


def test_a_retired_setting_of_one_section_is_unknown_in_another(place: Place):
    with pytest.raises(UnknownName):
        place.project("[search.signals]\nbias = 0.5\n").load()
