"""Starting the site: a port, a token, a way in, and an orderly end."""

import http.client
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import make_state_dirs, write_sample


def start(base: Path, *options: str) -> "subprocess.Popen[str]":
    command = [sys.executable, "-m", "shirube", "--root", str(write_sample(base / "shop")), "ui", *options]
    environ = make_state_dirs(base / "own").environ()
    return subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environ)


def ask(port: int, path: str, **headers: str) -> tuple[int, str, str]:
    """Return status, cookie and text."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    connection.request("GET", path, headers=headers)
    answer = connection.getresponse()
    text = answer.read().decode()
    connection.close()
    return answer.status, answer.headers.get("set-cookie", "").split(";")[0], text


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 0), (signal.SIGINT, 130)])
def test_the_printed_address_lets_a_browser_in_and_a_signal_ends_it(tmp_path: Path, number: signal.Signals, code: int):
    process = start(tmp_path, "--no-open")
    assert process.stderr is not None
    told = process.stderr.readline() + process.stderr.readline()
    found = re.search(r"open (http://127\.0\.0\.1:(\d+)(/enter\?key=\S+))$", told.strip())
    assert found, told
    port = int(found[2])
    cookie = ask(port, found[3])[1]
    status, _, page = ask(port, "/search", cookie=cookie)
    assert status == 200
    assert "shop" in page
    assert ask(port, "/search")[0] == 401
    assert ask(port, "/search", cookie=cookie, host="evil.example")[0] == 421
    token = next((tmp_path / "own" / "state").glob("http-*.token"))
    assert token.stat().st_mode & 0o777 == 0o600
    process.send_signal(number)
    _, rest = process.communicate(timeout=30)
    assert process.returncode == code
    assert "Traceback" not in rest
    assert not token.exists()


def test_a_port_that_is_none_is_refused_with_a_next_step(tmp_path: Path):
    process = start(tmp_path, "--no-open", "--port", "70000")
    _, told = process.communicate(timeout=60)
    assert process.returncode == 2
    assert "there is no port 70000" in told


def test_the_browser_gets_a_key_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A command line can be read by others, so the token itself never stands there."""
    from shirube.doors.loopback import Seat
    from shirube.doors.web import serve as module
    from tests.conftest import isolate

    isolate(make_state_dirs(tmp_path / "own"), monkeypatch)
    opened: list[str] = []

    class Now:
        def __init__(self, target, args, name, daemon):
            if name == "shirube-browser":
                target(*args)

        def start(self) -> None:
            pass

    monkeypatch.setattr(module, "Thread", Now)
    monkeypatch.setattr(
        module, "serve_local", lambda config, port, make, leave: make(Seat(1234, "secret", tmp_path / "t"))
    )
    module.serve_ui(write_sample(tmp_path / "shop"), {}, 0, opened.append)
    assert len(opened) == 1
    assert opened[0].startswith("http://127.0.0.1:1234/enter?key=")
    assert "secret" not in opened[0]


def test_templates_are_loaded_by_nothing_but_the_site():
    code = "import sys, shirube.doors.cli.main, shirube.doors.web, shirube.workspace; print('jinja2' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
