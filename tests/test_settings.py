"""Every setting has a type, and a value in the file of defaults."""

import tomllib
from collections.abc import Iterator, Mapping
from importlib import resources
from typing import Any, get_args, get_origin, get_type_hints

import pytest
from msgspec import Struct

from shirube import settings
from shirube.config import load_config
from shirube.settings import Config, is_section, sections
from tests.cases import for_each

DEFAULTS = tomllib.loads(resources.files("shirube").joinpath("defaults.toml").read_text("utf-8"))
FREE = "*"
"""Stands for the names that people choose: profiles, roles."""


def typed(kind: Any, prefix: str) -> Iterator[str]:
    """Return the settings of a type by their dotted names."""
    for name, hint in get_type_hints(kind).items():
        free = get_origin(hint) is Mapping
        inner, dotted = (get_args(hint)[1], f"{prefix}{name}.{FREE}") if free else (hint, f"{prefix}{name}")
        yield from typed(inner, f"{dotted}.") if is_section(inner) else [dotted]


def written(values: Mapping[str, Any], kind: Any, prefix: str) -> Iterator[str]:
    """Return the settings of a table by their dotted names, read beside the type they are of."""
    hints = get_type_hints(kind)
    for name, value in values.items():
        hint = hints[name]
        if get_origin(hint) is Mapping:
            inner = get_args(hint)[1]
            for entry in value.values():
                yield from written(entry, inner, f"{prefix}{name}.{FREE}.") if is_section(inner) else []
        elif is_section(hint):
            yield from written(value, hint, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}"


def test_every_section_of_the_defaults_is_a_type_and_every_type_a_section():
    assert set(DEFAULTS) == set(sections())


@for_each("section", sections())
def test_every_setting_has_a_default_and_every_default_is_a_setting(section: str):
    wanted = set(typed(sections()[section], f"{section}."))
    found = set(written(DEFAULTS[section], sections()[section], f"{section}."))
    assert found == {name for name in wanted if not name.endswith(f".{FREE}")}


@for_each(("table", "kind"), [("profiles", settings.Profile), ("boosts", settings.BoostProfile)])
def test_every_profile_of_the_defaults_is_written_out_in_full(table: str, kind: type):
    for name, entry in DEFAULTS["search"][table].items():
        assert list(entry) == list(kind.__struct_fields__), name


def test_the_profiles_that_are_chosen_by_default_are_there():
    search = DEFAULTS["search"]
    assert search["profile"] in search["profiles"]
    assert search["boost_profile"] in search["boosts"]
    assert "default" in search["profiles"]
    assert "default" in search["boosts"]


def test_roles_that_a_profile_lifts_are_kinds_of_files():
    kinds = set(settings.BoostProfile.__struct_fields__)
    for profile in DEFAULTS["search"]["profiles"].values():
        assert set(profile["roles"]) <= kinds


def test_no_setting_can_be_changed_after_it_was_read(tmp_path):
    config = load_config(None, None, {"HOME": str(tmp_path)})
    with pytest.raises(AttributeError):
        config.search.limit = 3  # type: ignore[misc]


def test_every_type_of_settings_is_used():
    def used(kind: Any) -> set[type]:
        hints = get_type_hints(kind).values()
        inner = {get_args(hint)[1] if get_origin(hint) is Mapping else hint for hint in hints}
        kinds = {one for one in inner if is_section(one) and one is not Struct}
        return {kind}.union(*map(used, kinds))

    assert used(Config) == {one for one in vars(settings).values() if is_section(one) and one is not Struct}
