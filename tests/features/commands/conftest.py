"""Projects with registries."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from shirube.features.commands.registry import Catalog

APP = 'working_dir: ".agent/climpt"\napp_prompt:\n  base_dir: "prompts/{c1}"\napp_schema:\n  base_dir: "schema/{c1}"\n'
USER = 'params:\n  two:\n    directiveType:\n      pattern: "^[a-z-]+$"\n    layerType:\n      pattern: "^[a-z-]+$"\n'


def entry(c1: str, c2: str, c3: str, description: str = "", **rest: Any) -> dict[str, Any]:
    """Return an entry of a registry."""
    return {"c1": c1, "c2": c2, "c3": c3, "description": description, **rest}


class Home:
    """A directory that registries, profiles and templates can be put into."""

    def __init__(self, root: Path) -> None:
        self.root = root
        root.mkdir(parents=True, exist_ok=True)

    def write(self, path: str, text: str) -> Path:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
        return file

    def registry(self, *entries: Mapping[str, Any], path: str = ".agent/climpt/registry.json") -> Path:
        return self.write(path, json.dumps({"version": "1", "tools": {"commands": list(entries)}}))

    def config(self, **registries: str) -> Path:
        return self.write(".agent/climpt/config/registry_config.json", json.dumps({"registries": registries}))

    def profile(self, name: str, c1: str = "", app: str = "", user: str = USER) -> None:
        self.write(f".agent/climpt/config/{name}-app.yml", app or APP.format(c1=c1 or name))
        if user:
            self.write(f".agent/climpt/config/{name}-user.yml", user)

    def template(self, c1: str, c2: str, c3: str, text: str, name: str = "f_default.md") -> Path:
        return self.write(f".agent/climpt/prompts/{c1}/{c2}/{c3}/{name}", text)


@pytest.fixture
def project(tmp_path: Path) -> Home:
    return Home(tmp_path / "project")


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / "home")


@pytest.fixture
def catalog(project: Home, home: Home) -> Catalog:
    return Catalog(project.root, home.root)


@pytest.fixture
def ready(project: Home) -> Callable[..., None]:
    """Return how to make a project with one command ``git do thing`` that can be rendered."""

    def make(template: str = "Do it.\n", **rest: Any) -> None:
        project.registry(entry("git", "do", "thing", "Do the thing", **rest))
        project.profile("git")
        project.template("git", "do", "thing", template)

    return make
