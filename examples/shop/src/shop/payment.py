"""Taking money."""

from shop.auth import AuthService, Session
from shop.retry import with_retries

MAX_AMOUNT = 10_000


class PaymentError(Exception):
    """The money did not arrive."""


class PaymentGateway:
    """Talks to the bank."""

    def charge_card(self, amount: int) -> str:
        """Charge the card once and return the receipt number."""
        if amount > MAX_AMOUNT:
            raise PaymentError("amount too large")
        return f"receipt-{amount}"

    # 返金処理: 顧客にお金を返す
    def refund(self, receipt: str) -> bool:
        """Give the money back."""
        return receipt.startswith("receipt-")


def checkout(session: Session, amount: int, now: float) -> str:
    """Charge the card, trying again when the bank is slow."""
    AuthService().check(session, now)
    gateway = PaymentGateway()
    return with_retries(lambda: gateway.charge_card(amount))
