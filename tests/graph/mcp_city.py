"""A small MCP server over stdio, as a city might run one."""

from mcp.server.fastmcp import FastMCP

server = FastMCP("city", log_level="ERROR")


@server.tool()
def sweeping(street: str) -> str:
    """Say when a street is swept."""
    return f"- schedule 700123: {street}, every Tuesday, 08:00-12:00"


if __name__ == "__main__":
    server.run("stdio")
