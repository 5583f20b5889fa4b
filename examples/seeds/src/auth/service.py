from src.repositories.users import UserRepository


class AuthService:
    """Authenticates users: AuthService.login() はユーザー認証を処理する。"""

    def __init__(self, users: UserRepository) -> None:
        self.users = users

    def login(self, name: str, password: str) -> bool:
        """Return whether the password is that of the user."""
        user = self.users.find(name)
        return user is not None and user.password == password
