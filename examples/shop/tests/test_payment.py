from shop.auth import AuthService
from shop.payment import checkout


def test_checkout_returns_a_receipt():
    session = AuthService().login("aki", now=0)
    assert checkout(session, 5, now=10) == "receipt-5"
