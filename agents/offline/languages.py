"""Whether a text is in a language that the offline router reads: English and Spanish."""

import unicodedata

from agents.offline.clauses import unplaced
from agents.offline.words import STOP, tokens

UNCOVERED = "none of the desk's specialists handles this"
UNREAD = "the router without a key reads English and Spanish only; with a model key the desk reads other languages"
_ELSEWHERE = frozenset(
    """
    auf aus bei das dem den der die ein eine einem einen er es ich im ist kein keine mein meine mit nach nicht seit sind und unser
    unsere vom vor war wir wird wurde zu zum
    a au aux avec ce cette chez dans depuis des du elle est et il ils je la le les leur ma mon ne nous on ont par pas plus pour sa ses son sont
    sur une vous y
    ao aos as com da das do dos ela ele em esta ha isso meu meus minha muito na nao nas no nos nossa nosso o os pela pelo sao seu sua tem temos um uma
    c'e ce ci della delle di e gli ha ho il io lo mio nel nella non per piu sono sta tra una
    aan al bij dat de een en er hebben het ik is mijn naar niet onze op van voor wij ze zijn zitten
    co czy do jest jej jestem ma moim na nad nie od sa sie w we z za
    ak an anpil ap ate ba ban fe gen genyen ki kay la lan li mwen nan nou pa pou se sou te yo yon
    cho co cua duoc khong la mot nha o ra toi trong va voi
    ang ay mga na namin ng po sa
    aan ah ayaa iyo jira ka ku leh ma oo waa
    """.split()
)
"""Small words of German, French, Portuguese, Italian, Dutch, Polish, Haitian Creole, Vietnamese, Tagalog and Somali."""


def is_read(text: str) -> bool:
    """Say whether `text` is in a language that the offline router reads, judged by its script and its small words."""
    said = unplaced(text)
    letters = [char for char in said if char.isalpha()]
    if 2 * sum(not char.isascii() and not unicodedata.name(char, "").startswith("LATIN") for char in letters) > len(letters):
        return False
    return sum((word in STOP) - (word in _ELSEWHERE) for word in tokens(said)) >= 0
