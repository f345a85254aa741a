"""An example of server auth: each user sees only their own threads, runs, artifacts and board pages.

Users come from `DESK_TOKENS`, pairs of a name and a token: `alice=...,bob=...`. Replace `authenticate` by a check of your own identity
provider's tokens and keep the rest. langgraph.json switches it on (see graph/engine/README.md, Users).
"""

import hmac
import os
from collections.abc import Mapping
from typing import Any

from langgraph_sdk import Auth

auth = Auth()


@auth.authenticate
async def authenticate(headers: Mapping[Any, Any]) -> Auth.types.MinimalUserDict:
    """Turn a bearer token into a user, or refuse."""
    # One server hands the headers over as bytes, the other as text.
    given = {_text(name).lower(): _text(value) for name, value in headers.items()}
    scheme, _, token = given.get("authorization", "").partition(" ")
    for name, known in _users().items():
        if scheme.lower() == "bearer" and hmac.compare_digest(token.encode(), known.encode()):
            return {"identity": name}
    raise Auth.exceptions.HTTPException(status_code=401, detail="A bearer token of a known user is needed.")


@auth.on
async def refuse(ctx: Auth.types.AuthContext, value: Any) -> bool:
    """Refuse whatever no rule below allows: the servers' own default is to allow it."""
    return False


@auth.on.threads
async def own(ctx: Auth.types.AuthContext, value: Any) -> dict[str, str]:
    """Mark what a user makes as theirs, and show them nothing else."""
    owner = {"owner": ctx.user.identity}
    # In place: the servers keep the dict that they handed over, not the key.
    if value.get("metadata") is None:
        value["metadata"] = {}
    value["metadata"].update(owner)
    return owner


@auth.on(resources="assistants", actions=["read", "search"])
async def look(ctx: Auth.types.AuthContext, value: Any) -> bool:
    """Let every user see which graphs are served; none may change them."""
    return True


def _users() -> dict[str, str]:
    """Read the users of this process; without any, everybody is refused."""
    pairs = (pair.partition("=") for pair in os.environ.get("DESK_TOKENS", "").split(",") if pair)
    return {name.strip(): token.strip() for name, _, token in pairs if name.strip() and token.strip()}


def _text(value: Any) -> str:
    return value.decode("latin-1") if isinstance(value, bytes) else str(value)
