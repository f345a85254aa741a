"""The supervisors that are measured on the same work, each in its own file."""

from tests.bench.peers import deep, langgraph_supervisor, ledger, subagents, tutorial
from tests.bench.peers.base import Peer, Trace

PEERS: dict[str, Peer] = {peer.name: peer for module in (ledger, tutorial, langgraph_supervisor, deep, subagents) for peer in module.PEERS}

__all__ = ["PEERS", "Peer", "Trace"]
