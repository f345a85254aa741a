"""Whether the words around a decision leave it standing; where they may not, it is ambiguous, which costs one re-ask.

No words may speak against it: no negation, condition, retraction, alternative or quotation in the languages below, no mark that strikes or
comments out, no question, no unread script, and nobody's name but the chosen one. Around an object, moreover, what is said in one breath with it,
or is not about the case, must be made of words that present a decision: what nobody foresaw is not taken for consent.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence

from agents.model.names import names_in

OBJECT = "\ufffc"
"""Stands in the words for an object that was taken out of them."""

_WORDS = """
no not never nor neither none nothing nobody nope nah without cannot cant dont doesnt didnt isnt arent wont wouldnt shouldnt couldnt hardly wrong*
incorrect* inaccurat* fals* fake* mistak* invalid* erroneous* bad badly worse worst better harmful dangerous unsafe illegal opposite contrary
reject* refus* declin* deny denied denies forbid* prohibit* ban banned disallow* veto* against avoid* beware omit* exclud* except* skip* unlike*
cancel* ignor* disregard* retract* withdr* accident* premature* trap inject* slipped manipulat* trick* attack* malicious* untrusted revok* rescind*
revers* revert* undo undone scrap* scratch strike struck forget* discard* delet* dismiss* void drop* annul* nullif* overrul* supersed* replac*
obsolete outdated deprecated expired actually instead rather wait hold halt abort* stop* quit oops whoops sorry apolog* correction reconsider*
reflection unsure uncertain guess* doubt* kidding joking joke* sarcas* tempted misread misspoke if unless whether otherwise else until once
when depend* provided assum* suppos* imagin* pretend* hypothe* might may maybe perhaps possibly could eg zb would've could've should've pending
tentativ* draft* scenario* example* instance sample* template* placeholder* dummy mock* demo* illustrat* diff or either alternat* option* versus vs
whichever another different* later postpon* defer* delay* says said saying wrote writes quot* claim* suggested told
ni nunca jamas nada ningun* sin salvo excepto evit* equivocad* ejemplo quizas olvid* sino error erro si mejor ne pas non jamais rien aucun* sans
sauf plutot exemple oubli* faux fausse erreur sinon ou nicht kein* nein nie niemals nichts ohne statt anstatt stattdessen sondern falsch* fehler*
irrtum* beispiel* vielleicht wenn falls oder sonst vergiss storn* nao nem sem nenhum* errad* exemplo talvez se senao exceto esquec* mai niente
nessun* senza sbagliat* errore invece esempio forse oppure altrimenti tranne dimentic* niet geen nooit niets zonder fout* maar voorbeeld misschien
indien inte inga ingen aldrig ikke aldri ej utan uten uden nigdy nikdy nikada nikad bez degil yok hayir asla nu niciodata ei nem soha tidak jangan
bukan khong dung hindi huwag
""".split()
_PRESENTING = frozenset(
    """
    a an all the this that it its i i'll i've i'm we we'll my our me you you're your here here's below following follows is are am be goes go will
    would should can in of for to and with on now next then so still hence therefore thus because since as at left by just only again one ok okay
    yes right sure thing well great alright certainly understood thanks hello done got happy hope help based according acting given provide
    providing return returning think asked asks ask requested request required needed used single valid correct corrected complete exact full
    final structured match matches json object code block text format function call calls calling output schema result response reply answer
    decision decisions decide decides deciding choice choose chosen choosing pick picks select selected selecting action dispatch dispatching
    dispatches route routes routing router supervisor assistant model send sending pass passing hand handing forward assign assigning delegate
    delegating transfer transferring consult consulting proceed proceeding continue continuing work works working start specialist specialists
    agent let let's best most suitable appropriate relevant place placed analysis reason reasoning explanation information ledger current state
    case goal task criteria criterion open step steps taken records im eot id end endoftext begin eos s i'd how give gives course absolutely good
    glad pointing out up reviewed reviewing read reading look looked looking looks find finds found see get gets move moving understand keep short
    time have has been was do does more helps check checks checking history rules day nice need needs who both thank please
    hier naturlich ist die das meine entscheidung antwort claro aqui esta tiene la mi decision respuesta voici ma le reponse ecco decisione
    risposta decisao minha resposta il o
    """.split()
)
_WHOLE = frozenset(word for word in _WORDS if word[-1] != "*")
_BEGUN = tuple(word[:-1] for word in _WORDS if word[-1] == "*")
_PHRASE = re.compile(
    r"\b(?:(?:would|could|should) have|second thoughts?|chang\w+ (?:my|your|of) (?:mind|plan)|t(?:ake|ook) (?:it|that|this) back|in case|only after"
    r"|(?:any|every|all)\w* but|(?:previous|old|former|earlier|last|first|original) (?:decision|choice|answer|reply|dispatch|plan)"
    r"|(?:was|were) (?:going|about) to|en vez|en lugar|em vez|au lieu|tal vez|peut-etre|the other (?:one|way)|far (?:from|be)|used to|\d+ of \d+)\b"
    r"|^\s*(?:is|should|shall|would|could) (?:it|this|that|we|i)\b"
)
_MARK = re.compile(
    r"(?<!~)~~(?!~)|(?<!\S)/s\b|/\*|\(\*\s|<!--|<\s*(?:s|del|strike)\b[^<>]*>|!=|[≠¬❌✖✗✘✕❎🚫⛔👎🙅🛑☐]|\[\s*\]|\\[ux][0-9a-f]"
    rf"|(?<![\w!])!+[\s*_`\"'(\[]*{OBJECT}",
    re.I,
)
# Opens the line that an object stands in.
_COMMENT = re.compile(r"^\s*(?:[>#;]|--)|(?<!:)//")
_FENCE = re.compile(r"(?:```|~~~)[a-z]*|</?tool call>|\[tool calls\]|<\|python tag\|>")
_ODD = re.compile(r"[\^~%&$\\]")
_SENTENCE = re.compile(r"[.!?;](?=\s|$)|(?<!:)\n(?:\s*\n)+")
_ABOUT = r"(?: (?:the|this|that|it|to|for|resident|resident's|question|questions|myself|directly|here))*"
_HARMLESS = (
    r"(?:no|not a) (?:problem|worries|trouble)|nothing else|no other text|based on the information provided"
    rf"|it(?:'s| is) not my (?:job|place|task) to answer{_ABOUT}"
    rf"|(?:i|we) (?:won't|can't|cannot|don't|(?:will|can|do|must|should|shall) not) (?:answer|reply|respond){_ABOUT}"
    r"|(?:(?:since|because|as|and|but|the|criterion) )*c\d+(?: and c\d+)? (?:is|are|was|has|have|remains?)(?: still)? (?:not|no)(?: yet)?(?: been)?"
    r"(?: (?:met|settled|answered|covered|done|open|evidence))?(?: yet| so far)?"
    r"|(?:there (?:is|are)|we have|the ledger (?:shows|has))(?: still)? no (?:evidence|records?|(?:completed )?steps?)(?: for c\d+)?(?: yet| so far)?"
    r"|(?:no|nothing)(?: steps?| work| specialists?)? (?:has|have)(?: yet)?(?: been)? (?:taken|done|tried|worked)"
    r"(?: on it| (?:on|for) c\d+)?(?: yet| so far)?"
    r"|(?:is there |do you need |need )?anything else(?: i can (?:do|help)(?: you)?(?: with| for you)?)?\??"
    r"|(?:(?:please )?(?:just )?(?:let me know|feel free to (?:ask|reach out)|(?:do not|don't) hesitate to (?:ask|reach out))"
    r"|if you(?:'d)? (?:would )?(?:need|have|want|like))"
    r"(?: (?:if|for|you|you'd|need|have|want|would|like|any|anything|more|further|other|else|changes?|questions?|help|details?|information|is"
    r"|unclear))*"
)
_ASIDE = re.compile(r"\b(?:check|see|verify|determine|find out|confirm) (?:if|whether) (?:a|an|any|the|there)\b")
_ANYWHERE = re.compile(_HARMLESS)
# After an object these take it back.
_BEFORE = re.compile(
    rf"{_HARMLESS}|(?:thanks|thank you) for (?:the|your) correction"
    r"|(?:i(?:'m| am)? |my )?(?:sorry|apolog\w+)(?: for (?:the|my|that)(?: previous| earlier)? (?:mistake|error|confusion|inconvenience|format))?"
    r"(?: in (?:the|my) (?:previous|last|earlier) (?:reply|answer|response))?"
)
_PLAIN = str.maketrans("’ıøđłĐØŁ", "'iodldol")


def doubt_in(words: str, meant: set[str], roster: Sequence[str]) -> str:
    """Return what in `words` keeps a decision that means `meant` from being unambiguous, or nothing."""
    if not words.strip(f"\r\n {OBJECT}"):
        return ""
    plain = _folded(words)
    if any(letter.isalpha() and ord(letter) > 0x24F for letter in plain):
        return "it stands among words in a script that is not read"
    lines = [piece.rsplit("\n", 1)[-1] for piece in words.split(OBJECT)[:-1]]
    if _MARK.search(words) or any(map(_COMMENT.search, lines)) or words.count("{") != words.count("}"):
        return "a mark takes it back, or it is cut off"
    pieces = plain.split(OBJECT)
    left = [clause for number, piece in enumerate(pieces) for clause in _heard(piece, number)]
    if any("?" in clause or _PHRASE.search(clause) or any(map(_speaks, _words_in(clause))) for clause in left):
        return "the words around it speak against it"
    named = names_in(plain, roster) | ({"finish"} if re.search(r"\bfinish\b|\b(?:close|end) (?:the|this) case\b", plain) else set())
    if named - meant:
        return "the words around it name somebody else"
    known = _PRESENTING.union(*(re.split(r"\W|_", name) for name in meant))
    strange = any(_ODD.search(said) or not known.issuperset(_words_in(said)) for said in _presenting(pieces, meant))
    return "the words around it are none that present a decision" if strange else ""


def _presenting(pieces: list[str], meant: set[str]) -> Iterator[str]:
    """Yield the sentences that must present a decision: those that an object stands in, and those that are not about the case."""
    for number, piece in enumerate(pieces if len(pieces) > 1 else ()):
        sentences = _SENTENCE.split(_FENCE.sub(" ", piece).rstrip())
        for place, sentence in enumerate(sentences):
            goes_on = place == 0 and number > 0 and not re.match(r"[^\S\n]*\n", piece)
            leads_in = place == len(sentences) - 1 and number < len(pieces) - 1
            if goes_on or leads_in or not (re.search(r"\d", sentence) or names_in(sentence, list(meant))):
                yield " ".join(_heard(sentence, number))


def _heard(words: str, number: int) -> list[str]:
    """Return the clauses of `words` without those that are wholly harmless; before the first object there are more of them."""
    harmless = _ANYWHERE if number else _BEFORE
    clauses = re.split(r"[.,!;\n]|(?<=\?)", _ASIDE.sub("", words))
    return [clause for clause in clauses if not harmless.fullmatch(clause.strip(" \t\r*`\"'()#>-"))]


def _words_in(text: str) -> list[str]:
    return re.findall(r"[^\W\d_]+(?:'[^\W\d_]+)?", re.sub(r"\b[acq]\d+\b", "", text))


def _speaks(word: str) -> bool:
    return word in _WHOLE or word.startswith((*_BEGUN, "n'")) or word.endswith("n't")


def _folded(text: str) -> str:
    """Return `text` without case, accents, hidden characters, joined words and drawn-out letters."""
    text = re.sub(r"(?<=[a-z])(?=[A-Z])|_", " ", unicodedata.normalize("NFKD", text.translate(_PLAIN)))
    text = "".join(letter for letter in text if unicodedata.category(letter) not in ("Mn", "Me", "Cf")).casefold()
    return re.sub(r"([a-z])\1{2,}", r"\1", re.sub(r"(?<=\b[a-z])[. *-](?=[a-z]\b)|\bnon-(?=[a-z])", "", text))
