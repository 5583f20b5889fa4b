"""Amounts as people read them."""


def size(count: int) -> str:
    """Return a number of bytes for people: ``1536`` → ``1.5 KiB``."""
    value, units = float(count), ["B", "KiB", "MiB", "GiB"]
    while value >= 1024 and len(units) > 1:
        value /= 1024
        units.pop(0)
    return f"{value:.0f} {units[0]}" if units[0] == "B" else f"{value:.1f} {units[0]}"
