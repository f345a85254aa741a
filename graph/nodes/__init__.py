"""The nodes of the desk; each is made for one desk by a function of its own."""

from graph.nodes.answer import make_answer
from graph.nodes.ask import make_ask
from graph.nodes.intake import make_intake
from graph.nodes.specialist import make_specialist
from graph.nodes.supervisor import make_supervisor

__all__ = ["make_answer", "make_ask", "make_intake", "make_specialist", "make_supervisor"]
