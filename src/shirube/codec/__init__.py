"""One way to and from JSON: records, the reading of arguments, schemas.

``records`` says what crosses a door, ``arguments`` reads what was sent, ``schema`` describes both, ``wire`` writes
results for readers and keeps values in files of our own.
"""

from shirube.codec.records import Arg, Input, Record, Shown, ShownPlace, inputs
from shirube.codec.wire import pack, shown_json, unpack

__all__ = ["Arg", "Input", "Record", "Shown", "ShownPlace", "inputs", "pack", "shown_json", "unpack"]
