"""langgraph-supervisor 0.0.31 in both of its output modes."""

import warnings
from typing import Any, Literal

from langchain.agents import create_agent
from langchain_core.messages import AIMessage
from langgraph_supervisor import create_supervisor

from tests.bench.peers.base import Peer
from tests.bench.script import Script, prompt_of, router, say, tools_of, worker
from tests.bench.work import ANSWER, PROMPT, SPECIALISTS


def _build(script: Script, saver: Any, mode: Literal["last_message", "full_history"], handoffs: bool) -> Any:
    agents = [create_agent(worker(script), tools_of(script, name), system_prompt=prompt_of(name), name=name) for name in SPECIALISTS]
    model = router(script, lambda turn: say(f"transfer_to_{turn.specialist}"), lambda: AIMessage(ANSWER))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # the package still builds on create_react_agent
        graph = create_supervisor(agents, model=model, prompt=PROMPT, output_mode=mode, add_handoff_messages=handoffs)
    return graph.compile(checkpointer=saver)


PEERS = (
    Peer("supervisor-last", 'output_mode="last_message", the default', lambda script, saver: _build(script, saver, "last_message", True)),
    Peer("supervisor-full", 'output_mode="full_history"', lambda script, saver: _build(script, saver, "full_history", True)),
    Peer(
        "supervisor-tuned",
        'output_mode="last_message", add_handoff_messages=False: no hand-off messages in the history',
        lambda script, saver: _build(script, saver, "last_message", False),
    ),
)
