"""A custom route next to the protocol's own, to see which instance serves it and for whom."""

import os

from fastapi import FastAPI, Request

app = FastAPI()


@app.get("/probe")
async def probe(request: Request) -> dict[str, str | int | None]:
    """Tell the process and the user."""
    return {"pid": os.getpid(), "user": getattr(request.scope.get("user"), "identity", None)}
