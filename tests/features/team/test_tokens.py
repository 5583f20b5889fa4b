"""What a token looks like, and what is kept of it."""

import re

from hypothesis import given
from hypothesis import strategies as st

from shirube.features.team.tokens import DIGITS, PREFIX, hash_of, is_secret, new_name, new_secret


def test_a_token_is_long_and_never_the_same():
    secrets = {new_secret() for _ in range(100)}
    assert len(secrets) == 100
    assert all(re.fullmatch(r"shirube_[0-9A-Za-z]{49}", secret) for secret in secrets)
    assert all(map(is_secret, secrets))
    assert len({new_name() for _ in range(100)}) == 100


def test_what_is_kept_does_not_tell_the_token():
    secret = new_secret()
    assert len(hash_of(secret)) == 32
    assert secret.encode() not in hash_of(secret)
    assert hash_of(secret) != hash_of(new_secret())


@given(st.integers(0, 48), st.sampled_from(DIGITS))
def test_a_letter_that_was_changed_shows(at, letter):
    secret = PREFIX + "0" * 43 + "000000"
    sealed = new_secret()
    changed = sealed[: len(PREFIX) + at] + letter + sealed[len(PREFIX) + at + 1 :]
    assert is_secret(changed) == (changed == sealed)
    assert not is_secret(secret)


@given(st.text(max_size=80))
def test_other_text_is_no_token(text):
    assert not is_secret(text)
    assert not is_secret(new_secret() + text[:1]) or not text
    assert not is_secret(new_secret().replace(PREFIX, text, 1)) or text == PREFIX
