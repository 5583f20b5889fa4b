"""shirube (しるべ, guidepost): code intelligence that a coding agent consults before it writes."""

TYPE_CHECKING = False  # not from typing: an interrupt while that is imported could not be caught any more
if TYPE_CHECKING:
    from typing import Any

    from shirube.project import Project, open_workspace

__all__ = ["Project", "__version__", "open_workspace"]
__version__ = "0.1.0"


def __getattr__(name: str) -> "Any":
    """Load the library at first use, so that a worker or a hook that needs one room pays for one room."""
    if name in ("Project", "open_workspace"):
        from shirube import project

        return getattr(project, name)
    raise AttributeError(f"module 'shirube' has no attribute '{name}'")
