"""deepagents 0.7.32: one deep agent with four subagents behind its `task` tool."""

from typing import Any

from deepagents import create_deep_agent
from langchain_core.messages import AIMessage

from tests.bench.peers.base import Peer
from tests.bench.script import Script, prompt_of, router, say, tools_of, worker
from tests.bench.work import ANSWER, PROMPT, SPECIALISTS


def build(script: Script, saver: Any) -> Any:
    """Create the agent with its defaults: files in state, summarisation at 170,000 tokens."""
    model = router(script, lambda turn: say("task", description=turn.ask, subagent_type=turn.specialist), lambda: AIMessage(ANSWER))
    subagents: list[Any] = [
        {"name": name, "description": text, "system_prompt": prompt_of(name), "tools": tools_of(script, name), "model": worker(script)}
        for name, text in SPECIALISTS.items()
    ]
    return create_deep_agent(model=model, system_prompt=PROMPT, subagents=subagents, checkpointer=saver)


PEERS = (Peer("deepagents", "defaults; its summariser would start at 170,000 tokens", build),)
