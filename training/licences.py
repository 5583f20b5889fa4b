"""Which sources may be trained on: what is known of their terms lets a table of numbers be given away.

Packages of the registries read here are open source, and Debian's main section is free by its guidelines. Left out are
word lists whose terms ask for the same terms again (EDICT and its parts, CC BY-SA), which turned out not to be needed.
"""

import re

SHARE_ALIKE = re.compile(r"edict|compdic|unidic|jmdict", re.IGNORECASE)


def free(source: str) -> bool:
    """Tell whether a source may be used."""
    return not SHARE_ALIKE.search(source)
