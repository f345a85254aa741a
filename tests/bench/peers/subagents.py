"""LangChain's create_agent with specialists as tools: plain, with tight summarisation, with aggressive clearing of tool results.

Tuned for the fewest tokens at 50 turns, summariser calls included (router plus summariser): summary at 1,000 tokens 123,104; at 2,000
121,050; at 3,000 141,299; at 4,000 156,429. Clearing with one result kept 118,500; with the calls' arguments cleared too 78,656, from 3,000
tokens on 82,326, with three results kept 138,629. Both, the summary at 1,500 122,306; at 2,500 100,509; at 4,000 94,587. Clearing the
arguments too, without a summary, leaves a router that sees the names of earlier calls and not what they asked or brought: that row
stands apart, as lossy. Keeping no result at all would give 47,736, but then it never sees what a specialist said, so it is not a setting that one
can use; the same goes for trimming to the last message.
"""

from collections.abc import Callable, Sequence
from typing import Any

from langchain.agents import create_agent
from langchain.agents.middleware import AgentMiddleware, ClearToolUsesEdit, ContextEditingMiddleware, SummarizationMiddleware
from langchain_core.messages import AIMessage, HumanMessage

from tests.bench.peers.base import Peer
from tests.bench.script import Script, prompt_of, router, say, summariser, tools_of, worker
from tests.bench.work import ANSWER, PROMPT, SPECIALISTS


def _office(script: Script, name: str, text: str) -> Callable[..., Any]:
    agent = create_agent(worker(script), tools_of(script, name), system_prompt=prompt_of(name))

    async def consult(request: str) -> str:
        result = await agent.ainvoke({"messages": [HumanMessage(request)]})
        return str(result["messages"][-1].content)

    consult.__name__, consult.__doc__ = f"consult_{name}", text
    return consult


def build(script: Script, saver: Any, middleware: Sequence[AgentMiddleware[Any, Any]] = ()) -> Any:
    """Compile the agent with its four specialists as tools."""
    model = router(script, lambda turn: say(f"consult_{turn.specialist}", request=turn.ask), lambda: AIMessage(ANSWER))
    tools = [_office(script, name, text) for name, text in SPECIALISTS.items()]
    return create_agent(model, tools, system_prompt=PROMPT, middleware=middleware, checkpointer=saver)


def summarising(script: Script, trigger: int, keep: int) -> SummarizationMiddleware:
    """Return a summariser that starts at `trigger` tokens and keeps `keep` messages."""
    return SummarizationMiddleware(summariser(script), trigger=("tokens", trigger), keep=("messages", keep))


def clearing(trigger: int, keep: int, *, arguments: bool) -> ContextEditingMiddleware:
    """Return an editor that blanks all but the last `keep` tool results, and the calls' arguments if told so."""
    return ContextEditingMiddleware(edits=[ClearToolUsesEdit(trigger=trigger, keep=keep, clear_tool_inputs=arguments)])


def summary_only(script: Script, saver: Any) -> Any:
    """Summarise at 2,000 tokens and keep two messages."""
    return build(script, saver, [summarising(script, 2_000, 2)])


def cleared(script: Script, saver: Any) -> Any:
    """Blank all tool results but the last from the first turn on."""
    return build(script, saver, [clearing(1, 1, arguments=False)])


def forgetful(script: Script, saver: Any) -> Any:
    """Blank everything but the last tool call from the first turn on, what was asked too."""
    return build(script, saver, [clearing(1, 1, arguments=True)])


def both(script: Script, saver: Any) -> Any:
    """Clear results and arguments, and summarise what clearing leaves at 4,000 tokens."""
    return build(script, saver, [summarising(script, 4_000, 2), clearing(1, 1, arguments=True)])


PEERS = (
    Peer("subagents", "create_agent, specialists as tools, no middleware", build),
    Peer(
        "subagents-summary", "SummarizationMiddleware at 2,000 tokens, two messages kept; 1,000 to 4,000 and one to four messages tried", summary_only
    ),
    Peer("subagents-cleared", "ClearToolUsesEdit from the first turn, last result kept; trigger 1,000 and 3,000 tried", cleared),
    Peer("subagents-both", "the same, arguments cleared too, and a summary at 4,000 tokens; 1,500 and 2,500 tried", both),
    Peer("subagents-forgetful", "results and arguments cleared, no summary: its router cannot see what it asked", forgetful, lossy=True),
)
