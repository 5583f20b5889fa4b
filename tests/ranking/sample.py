"""A small project such as people have: several languages, tests, documents, what others wrote, what is over."""

from collections.abc import Mapping

FILES: Mapping[str, str] = {
    "README.md": """\
# Orchid

Orchid is a small web platform: sign in, keep a session, fetch users and orders.

## Install

Run `make install`, then `make serve`.
""",
    "docs/authentication.md": """\
---
tags: [auth, guide]
---
# Authentication guide

How users log in: the password is checked, a session is started, and a token is issued.

## Sessions

A session expires after thirty minutes without a request.
""",
    "docs/setup.md": """\
---
tags: [setup]
---
# Setup instructions

Install the database, create the configuration file, and run the migrations.

## Feature guide

Every feature has a flag in `config/default.yaml`.
""",
    "docs/運用手順.md": """\
# 運用手順

## バックアップ

毎晩、データベースのバックアップを取得する。

## 障害対応

接続エラーが続くときは、接続プールの上限を確認する。
""",
    "config/default.yaml": """\
database:
  pool_size: 10
session:
  timeout_minutes: 30
feature_flags:
  dark_mode: false
""",
    "package.json": '{"name": "orchid", "scripts": {"serve": "node server.js"}, "dependencies": {"react": "19"}}\n',
    "src/auth/login.py": '''\
"""Logging in with a name and a password."""

from src.auth.passwords import verify_password
from src.auth.session import start_session
from src.db.user_repository import UserRepository


class LoginError(Exception):
    """The name or the password is wrong."""


def login(users: UserRepository, name: str, password: str) -> str:
    """Check the password of a user and start a session."""
    user = users.find_user(name)
    if user is None or not verify_password(password, user.password_hash):
        raise LoginError(name)
    return start_session(user.id)


def logout(session_id: str) -> None:
    """End the session of whoever logs out."""
''',
    "src/auth/passwords.py": '''\
"""Hashing passwords."""

import hashlib
import secrets

ROUNDS = 200_000


def hash_password(password: str) -> str:
    """Return a salted hash that can be stored."""
    salt = secrets.token_hex(8)
    return salt + hashlib.pbkdf2_hmac("sha256", password.encode(), salt.encode(), ROUNDS).hex()


def verify_password(password: str, stored: str) -> bool:
    """Compare a password with its stored hash in constant time."""
    return secrets.compare_digest(hash_password(password), stored)
''',
    "src/auth/session.py": '''\
"""Sessions of people who are logged in."""

from src.cache.lru import LruCache

TIMEOUT_MINUTES = 30


class SessionStore:
    """Keeps sessions until they expire."""

    def __init__(self) -> None:
        self._sessions = LruCache(10_000)

    def load(self, session_id: str) -> dict[str, str] | None:
        """Return the data of a session, or nothing when it has expired."""
        return self._sessions.get(session_id)

    # セッションの有効期限を延長する
    def extend(self, session_id: str) -> None:
        """Push the expiry of a session back by its timeout."""


def start_session(user_id: int) -> str:
    """Begin a session for a user and return its id."""
    return f"session-{user_id}"


def expire_sessions(store: SessionStore) -> int:
    """Throw away every session that has expired."""
    return 0
''',
    "src/auth/session.pyi": """\
class SessionStore:
    def load(self, session_id: str) -> dict[str, str] | None: ...
    def extend(self, session_id: str) -> None: ...

def start_session(user_id: int) -> str: ...
""",
    "src/auth/tokens.py": '''\
"""Access tokens for the API."""

import json


def issue_token(user_id: int, secret: str) -> str:
    """Sign a JSON web token for a user."""
    return json.dumps({"sub": user_id, "sig": secret})


def verify_token(token: str, secret: str) -> int:
    """Check the signature of a token and return whose it is."""
    return int(json.loads(token)["sub"])


def _rotate_secret(old: str) -> str:
    return old[::-1]
''',
    "src/auth/middleware.py": '''\
"""What every request passes before it is handled."""

from src.auth.tokens import verify_token


class AuthMiddleware:
    """Refuses requests without a valid token."""

    def __call__(self, request, next_handler):
        """Authenticate the request, then hand it on."""
        request.user_id = verify_token(request.headers["Authorization"], self.secret)
        return next_handler(request)
''',
    "src/config/loader.py": '''\
"""Reading the configuration."""

import os
import tomllib

from src.config.schema import check_settings


def load_config(path: str) -> dict[str, object]:
    """Read the configuration file and let environment variables override it."""
    with open(path, "rb") as file:
        settings = tomllib.load(file)
    settings.update(read_environment())
    check_settings(settings)
    return settings


def read_environment(prefix: str = "ORCHID_") -> dict[str, str]:
    """Return the environment variables that are meant for us."""
    return {name[len(prefix):].lower(): value for name, value in os.environ.items() if name.startswith(prefix)}
''',
    "src/config/schema.py": '''\
"""What settings there may be."""

KNOWN = {"database", "session", "feature_flags"}


class UnknownSetting(Exception):
    """A setting nobody knows."""


def check_settings(settings: dict[str, object]) -> None:
    """Refuse settings that do not exist."""
    for name in settings:
        if name not in KNOWN:
            raise UnknownSetting(name)
''',
    "src/db/pool.py": '''\
"""Connections to the database."""

from queue import Queue


class ConnectionPool:
    """Lends database connections and takes them back."""

    def __init__(self, size: int) -> None:
        self._idle: Queue = Queue(size)

    # 接続プールから接続を取り出す。空のときは待つ
    def acquire(self, timeout_seconds: float):
        """Take a connection out of the pool, waiting for a free one."""
        return self._idle.get(timeout=timeout_seconds)

    def release(self, connection) -> None:
        """Give a connection back."""
        self._idle.put(connection)
''',
    "src/db/migrations.py": '''\
"""Changing the database schema, step by step."""

STEPS = ["create_users", "create_orders"]


def run_migrations(connection, upto: int | None = None) -> int:
    """Apply every migration that has not been applied yet, in one transaction each."""
    for number, step in enumerate(STEPS[:upto]):
        connection.execute(step)
    return len(STEPS)


def rollback(connection, steps: int = 1) -> None:
    """Undo the last migrations."""
''',
    "src/db/user_repository.py": '''\
"""Users in the database."""

from src.db.pool import ConnectionPool


class UserRepository:
    """Finds and saves users."""

    def __init__(self, pool: ConnectionPool) -> None:
        self.pool = pool

    def find_user(self, name: str):
        """Return the user of that name."""
        return self.pool.acquire(1.0).query("SELECT * FROM users WHERE name = ?", name)

    def save_user(self, user) -> None:
        """Insert or update a user."""


def user_profile(row) -> dict[str, str]:
    """Make the public user_profile from a database row of a query."""
    return {"name": row.name, "avatar": row.avatar}
''',
    "src/db/order_repository.py": '''\
"""Orders in the database."""

from src.db.pool import ConnectionPool


class OrderRepository:
    """Finds and saves orders."""

    def __init__(self, pool: ConnectionPool) -> None:
        self.pool = pool

    def find_order(self, number: int):
        """Return the order of that number."""
        return self.pool.acquire(1.0).query("SELECT * FROM orders WHERE number = ?", number)

    def save_order(self, order) -> None:
        """Insert or update an order."""
''',
    "src/http/client.py": '''\
"""Talking to other servers."""

import time

from src.http.errors import GatewayTimeout


class HttpClient:
    """Sends requests and tries again when the other side is slow."""

    def get_with_retries(self, url: str, attempts: int = 3) -> bytes:
        """Fetch a URL; retry with exponential backoff after a timeout."""
        for attempt in range(attempts):
            try:
                return self._fetch(url)
            except TimeoutError:
                time.sleep(2**attempt)
        raise GatewayTimeout(url)

    def _fetch(self, url: str) -> bytes:
        raise NotImplementedError
''',
    "src/http/errors.py": '''\
"""What can go wrong on the way, and its status code."""


class HttpError(Exception):
    """An error with a status code."""

    status = 500


class NotFound(HttpError):
    """There is nothing at this URL."""

    status = 404


class GatewayTimeout(HttpError):
    """The server behind us did not answer."""

    status = 504
''',
    "src/http/router.py": '''\
"""Which function handles which URL."""

from src.http.errors import NotFound


class Router:
    """Maps URLs to handlers."""

    def __init__(self) -> None:
        self._routes: dict[str, object] = {}

    def add_route(self, pattern: str, handler) -> None:
        """Register a handler for a URL pattern."""
        self._routes[pattern] = handler

    def dispatch(self, request):
        """Find the handler of a request and call it."""
        handler = self._routes.get(request.path)
        if handler is None:
            raise NotFound(request.path)
        return handler(request)
''',
    "src/cache/lru.py": '''\
"""A cache that forgets what was not used for the longest time."""

from collections import OrderedDict


class LruCache:
    """Keeps the most recently used entries."""

    def __init__(self, capacity: int) -> None:
        self._entries: OrderedDict[str, object] = OrderedDict()
        self.capacity = capacity

    def get(self, key: str):
        """Return an entry and mark it as used."""
        return self._entries.get(key)

    def put(self, key: str, value: object) -> None:
        """Keep an entry, evicting the oldest one when the cache is full."""
        self._entries[key] = value
        self._evict()

    def _evict(self) -> None:
        while len(self._entries) > self.capacity:
            self._entries.popitem(last=False)
''',
    "src/generated/orders_pb2.py": '''\
"""Generated by the protocol buffer compiler.  DO NOT EDIT!"""

ORDER_FIELDS = ["number", "user", "total", "created_at"]


class OrderMessage:
    """Order message."""
''',
    "server/ratelimit/limiter.go": """\
package ratelimit

import "time"

// Limiter allows a number of requests per second: a token bucket.
type Limiter struct {
	rate   float64
	burst  int
	tokens float64
	last   time.Time
}

// Allow reports whether one more request may pass now.
func (l *Limiter) Allow(now time.Time) bool {
	l.refill(now)
	if l.tokens < 1 {
		return false
	}
	l.tokens--
	return true
}

func (l *Limiter) refill(now time.Time) {
	l.tokens += l.rate * now.Sub(l.last).Seconds()
	l.last = now
}
""",
    "crates/lexer/src/lib.rs": """\
//! Cutting a template into tokens.

pub struct Lexer<'a> {
    source: &'a str,
    position: usize,
}

impl<'a> Lexer<'a> {
    /// Returns the next token of the template, or nothing at its end.
    pub fn next_token(&mut self) -> Option<&'a str> {
        let rest = &self.source[self.position..];
        rest.split_whitespace().next()
    }

    /// Looks at the next token without taking it.
    pub fn peek(&self) -> Option<&'a str> {
        None
    }
}
""",
    "web/src/components/LoginForm.tsx": """\
import { useState } from "react";
import { postLogin } from "../api/client";

/** ログイン画面のフォーム */
export function LoginForm() {
  const [name, setName] = useState("");
  const [password, setPassword] = useState("");
  return (
    <form onSubmit={() => postLogin(name, password)}>
      <input value={name} onChange={(e) => setName(e.target.value)} />
      <input type="password" value={password} onChange={(e) => setPassword(e.target.value)} />
      <button>Sign in</button>
    </form>
  );
}
""",
    "web/src/api/client.ts": """\
export interface User {
  id: number;
  name: string;
}

export async function getUserById(id: number): Promise<User> {
  const answer = await fetch(`/api/v2/users/${id}`);
  return answer.json();
}

export async function postLogin(name: string, password: string): Promise<void> {
  await fetch("/api/v2/login", { method: "POST", body: JSON.stringify({ name, password }) });
}
""",
    "web/src/utils/formatDate.ts": """\
/** 日付を和暦で表示する */
export function formatDate(date: Date): string {
  return new Intl.DateTimeFormat("ja-JP-u-ca-japanese").format(date);
}
""",
    "lambda/page-agent/src/handler.ts": """\
import { buildPrompt } from "./prompt";

// Lambda handler of the page-agent: answers questions about one page.
export async function handler(event: { page: string; question: string }) {
  const prompt = buildPrompt(event.page, event.question);
  return { agent: "page-agent", prompt };
}
""",
    "lambda/page-agent/src/prompt.ts": """\
export function buildPrompt(page: string, question: string): string {
  return `Read this page and answer.\\n${page}\\n${question}`;
}
""",
    "lambda/canvas-agent/handler.ts": """\
// Lambda handler of the canvas-agent: the agent draws on a canvas. The handler checks the agent's event.
export async function handler(event: { canvas: string; strokes: number[] }) {
  const agent = "canvas-agent";
  return { agent, drawn: event.strokes.length };
}
""",
    "api/v1/users.py": '''\
"""Users over HTTP, the first version."""


def list_users(request):
    """Return all users at once."""
    return request.users.all()
''',
    "api/v2/users.py": '''\
"""Users over HTTP, page by page."""


def list_users(request):
    """Return one page of users and the cursor of the next."""
    return request.users.page(request.cursor)
''',
    "legacy/login.py": '''\
"""Logging in as it was before sessions: a cookie with name and password."""


def login(name, password):
    """Check the password and set a cookie."""
    return f"{name}:{password}"
''',
    "vendor/jwt/jwt.js": """\
/* json web token, bundled */
function verifyToken(token, secret) {
  return token.split(".")[2] === secret;
}
function signToken(token, secret) {
  return token + "." + secret;
}
module.exports = { verifyToken, signToken };
""",
    "tests/test_session.py": """\
from src.auth.session import SessionStore, expire_sessions, start_session


def test_a_session_starts_with_the_id_of_its_user():
    assert start_session(7) == "session-7"


def test_an_expired_session_is_gone():
    assert expire_sessions(SessionStore()) == 0
""",
    "tests/test_pool.py": """\
import pytest

from src.db.pool import ConnectionPool


def test_an_empty_pool_times_out():
    with pytest.raises(Exception):
        ConnectionPool(1).acquire(timeout_seconds=0.0)
""",
    "web/src/components/LoginForm.test.tsx": """\
import { render } from "@testing-library/react";
import { LoginForm } from "./LoginForm";

test("the login form asks for name and password", () => {
  expect(render(<LoginForm />).getAllByRole("textbox")).toHaveLength(1);
});
""",
    "examples/quickstart.py": '''\
"""Log in and list users."""

from src.auth.login import login

login(None, "ada", "secret")
''',
    "scripts/deploy.sh": """\
#!/bin/sh
# Build the image and roll it out to production.
set -e
docker build -t orchid .
kubectl rollout restart deployment/orchid
""",
}
