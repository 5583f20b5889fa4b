"""The MCP server: the operations as tools, over stdio or over HTTP on the loopback interface.

Nothing heavy is imported until the first call, so that a client's first ``tools/list`` costs little more than a
bare server of the SDK.
"""
