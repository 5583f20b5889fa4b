"""shirube (しるべ, guidepost): code intelligence that a coding agent consults before it writes."""

TYPE_CHECKING = False  # not from typing: nobody could catch a Ctrl-C that arrives while typing is imported
if TYPE_CHECKING:
    from typing import Any

    from shirube.project import Project, open_workspace

__all__ = ["Project", "__version__", "open_workspace"]
__version__ = "0.1.0"


def __getattr__(name: str) -> "Any":
    """Load the library at first use, so that a worker or a hook imports only the modules it needs."""
    if name in ("Project", "open_workspace"):
        from shirube import project

        return getattr(project, name)
    raise AttributeError(f"module 'shirube' has no attribute '{name}'")
