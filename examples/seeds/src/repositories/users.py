from dataclasses import dataclass


@dataclass
class User:
    name: str
    password: str


class UserRepository:
    """Looks users up in the database."""

    def __init__(self) -> None:
        self.users: dict[str, User] = {}

    def find(self, name: str) -> User | None:
        return self.users.get(name)
