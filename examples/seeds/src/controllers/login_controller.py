from src.auth.service import AuthService


class LoginController:
    """ログイン画面: takes the form and asks the AuthService."""

    def __init__(self, auth: AuthService) -> None:
        self.auth = auth

    def post(self, form: dict[str, str]) -> str:
        """Log in with the name and the password of the form."""
        ok = self.auth.login(form["name"], form.get("password", ""))
        return "/home" if ok else "/login"
