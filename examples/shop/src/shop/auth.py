"""Who is logged in, and for how long."""

from dataclasses import dataclass

LIFETIME_SECONDS = 3600


class SessionExpired(Exception):
    """The customer has to log in again."""


@dataclass(frozen=True)
class Session:
    """One login of one customer."""

    customer: str
    started: float


class AuthService:
    """Logs customers in and checks their sessions."""

    def login(self, customer: str, now: float) -> Session:
        """Start a session."""
        return Session(customer, now)

    # 認証の有効期限: 一時間を過ぎたら再ログインが必要
    def check(self, session: Session, now: float) -> None:
        """Refuse a session that is too old."""
        if now - session.started > LIFETIME_SECONDS:
            raise SessionExpired(session.customer)
