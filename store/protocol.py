"""The one protocol of artifact stores: bulk goes in, a handle comes out, bounded ranges are read back."""

from typing import Protocol

from contracts import Handle

RANGE = 4 * 2**20
"""Most bytes that one read returns, whatever length is asked for."""
BODY = 256 * 2**20
"""Largest body in bytes that a store takes."""


Handles = list[Handle]  # named here, because `list` is a method below
Names = list[str]


class ArtifactStore(Protocol):
    """Artifacts by case and alias, content-addressed within the case. Every method may raise StoreUnavailable."""

    async def put(
        self, case: str, body: bytes | str, *, stem: str, media_type: str = "text/plain", kind: str, description: str, producer: str
    ) -> Handle:
        """Store `body` under the first of `A3`, `A3.2`, `A3.3` … (for stem `A3`) that is free or holds the same content.

        Text is kept as UTF-8, bytes as they are. The same content twice is one body; under the same stem it is one handle.

        Raises:
            StoreError: A field of the handle is refused, the body is too large, or the stem has no alias left.
        """

    async def read(self, case: str, alias: str, start: int = 0, length: int = 65536) -> bytes:
        """Return up to `length` bytes from offset `start`, never more than RANGE; a read of the whole body is verified.

        Raises:
            ArtifactNotFound: No such artifact in this case.
            ArtifactDamaged: The body is gone, shorter than stored, or (read whole) differs from its digest.
        """

    async def stat(self, case: str, alias: str, *, verify: bool = False) -> Handle:
        """Return the handle; with `verify`, read the whole body and compare its size and digest. Raises as `read` does."""

    async def list(self, case: str) -> Handles:
        """Return the handles of one case, ordered by alias."""

    async def delete(self, case: str, alias: str) -> None:
        """Remove an artifact, and its body unless another alias of the case shares it."""

    async def delete_case(self, case: str) -> None:
        """Remove everything of one case; a case without artifacts is fine."""

    async def touch(self, case: str) -> None:
        """Say that a case is still open, so that none of it expires."""

    async def cases(self, idle: float = 0) -> Names:
        """Return the cases that were neither written nor touched for `idle` seconds."""

    async def aclose(self) -> None:
        """Release connections and threads."""
