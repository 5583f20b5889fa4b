"""Everything the program can do, one function each.

An operation is a row of one table: name, summary, typed request, typed result, function. Every door (library,
command line, MCP, web) is made from the table and goes through the one ``run``.
"""

from shirube.operations.run import run
from shirube.operations.table import OPERATIONS, operation_named

__all__ = ["OPERATIONS", "operation_named", "run"]
