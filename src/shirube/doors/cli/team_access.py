"""The commands for who may ask a team's server: ``team token create|list|revoke`` and ``team role``."""

import argparse
import json
import re
from contextlib import closing

from shirube.config import load_config
from shirube.doors.cli.command import OK, CliCommand
from shirube.doors.cli.screen import screen_for
from shirube.engine.store.access import Token
from shirube.errors import BadArgument
from shirube.features.team.tokens import hash_of, new_name, new_secret
from shirube.messages import say
from shirube.shared import open_access
from shirube.workspace import now_text

MOST_DAYS = 366
MOST_RATE = 1_000_000_000
_PATTERN = re.compile(r"[^\s\0,]{1,400}")


def _declare_create(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("holder", metavar="WHO", help="who gets it: a person or a machine")
    parser.add_argument(
        "--repo", action="append", required=True, metavar="NAME", help="a repository by host and path; * for anything"
    )
    parser.add_argument(
        "--days", type=float, default=90.0, metavar="N", help="how long it lives (default: %(default)s)"
    )
    parser.add_argument("--requests", type=int, metavar="N", help="calls a minute (default: team.requests)")
    parser.add_argument("--words", type=int, metavar="N", help="tokens of text a minute (default: team.words)")
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def _run_create(options: argparse.Namespace) -> int:
    config, screen = load_config(None), screen_for(options)
    if not 0 < options.days <= MOST_DAYS:
        raise BadArgument("team_access.days", most=MOST_DAYS)
    for pattern in options.repo:
        if not _PATTERN.fullmatch(pattern):
            raise BadArgument("team_access.pattern", pattern=pattern)
    rates = {"--requests": options.requests or config.team.requests, "--words": options.words or config.team.words}
    for name, rate in rates.items():
        if not 0 < rate <= MOST_RATE:
            what = say("config.whole_from", low=1, high=MOST_RATE)
            raise BadArgument("config.unfit", name=name, value=rate, what=what)
    secret = new_secret()
    token = Token(new_name(), options.holder, tuple(dict.fromkeys(options.repo)), rates["--requests"], rates["--words"])
    with closing(open_access(config)) as access:
        made = access.make(token, hash_of(secret), options.days)
    if options.json:
        print(json.dumps({"token": made.token, "secret": secret, "expires": made.expires}))
        return OK
    print(secret)
    print(
        screen.words(
            "team_access.token_once",
            name=made.token,
            holder=made.holder,
            repositories=list(made.repositories),
            expires=made.expires,
        )
    )
    return OK


CREATE = CliCommand(_declare_create, _run_create, anywhere=True)


def _declare_list(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def _run_list(options: argparse.Namespace) -> int:
    screen = screen_for(options)
    with closing(open_access(load_config(None))) as access:
        tokens = access.tokens()
    if options.json:
        names = Token.__struct_fields__
        print(json.dumps({"tokens": [{name: getattr(token, name) for name in names} for token in tokens]}))
        return OK
    if not tokens:
        print(screen.words("team_access.no_tokens"))
    for token in tokens:
        state = "revoked_state" if token.revoked else "expired" if token.expires <= now_text() else "usable"
        print(
            screen.words(
                "team_access.token_row",
                name=token.token,
                state=say(f"team_access.{state}"),
                expires=token.expires,
                requests=token.requests,
                holder=token.holder,
                repositories=list(token.repositories),
            )
        )
    return OK


LIST = CliCommand(_declare_list, _run_list, anywhere=True)


def _declare_revoke(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("token", metavar="TOKEN", help="its name, as 'team token list' shows it")


def _run_revoke(options: argparse.Namespace) -> int:
    with closing(open_access(load_config(None))) as access:
        if not access.revoke(options.token):
            raise BadArgument("team_access.unknown_token", name=options.token)
    print(screen_for(options).words("team_access.revoked", name=options.token))
    return OK


REVOKE = CliCommand(_declare_revoke, _run_revoke, anywhere=True)


def _declare_role(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("role", metavar="ROLE", help="a role of the database that owns nothing")


def _run_role(options: argparse.Namespace) -> int:
    with closing(open_access(load_config(None))) as access:
        left = access.let_serve(options.role)
    screen = screen_for(options)
    print(screen.words("team_access.role_ready", role=options.role))
    if left:
        print(screen.words("team_access.second_lock", command=left))
    return OK


ROLE = CliCommand(_declare_role, _run_role, anywhere=True)
