"""Tell whether a text speaks to its reader, in the languages most spoken in US cities and a few more."""

import re
from functools import lru_cache

_QUOTED = re.compile(r"[\"“„«‘][^\"”“»’]{0,200}[\"”“»’]|'[^']{1,200}'(?!\w)")
_WORDS = (
    r"you|your|yours|yourself|you're|you'll|you've|thank you",
    r"dear (?:sir|madam|resident|customer|neighbou?r|m[rs]s?)|please (?:call|contact|reach|visit|let us|note that)",
    r"usted(?:es)?|estimad[oa]s?|le (?:informamos|agradecemos)|ll[aá]menos|por favor,? (?:llame|contacte)|su (?:solicitud|queja|denuncia)",
    r"vous|votre|vos|veuillez|ch[eè]re? (?:madame|monsieur)",
    r"sehr geehrte[rn]?|liebe[rs]? (?:frau|herr|anwohner\w*)|bitte rufen sie|wenden sie sich",
    r"(?<=\w )(?-i:Sie|Ihnen|Ihre[mnrs]?|Ihr)",
    r"voc[eê]s?|prezad[oa]s?|por favor,? (?:ligue|contacte|entre em contato)",
    r"gentile (?:signora?|cliente|cittadino)|la preghiamo|la contatteremo",
    r"szanown[aiy] (?:pan|pani|pa[nń]stwo)|prosimy o kontakt",
    r"qu[yý] v[iị]|b[aạ]n (?:c[oó]|vui l[oò]ng)",
    r"tanpri rele|ou ka rele|inyong|mangyaring",
    r"вы|вас|вам|вами|ваш\w{0,3}|уважаем\w+|пожалуйста,? (?:звоните|позвоните|свяжитесь)",
)
_SCRIPTS = (
    r"您|你(?:的|们|們|好|可以)|尊敬的|请(?:致电|联系)|お客様|あなた|ご連絡ください|귀하|고객님|당신",
    r"آپ|عزيز[يت]|يرجى|لكم|حضرتك|आप(?:का|की|के|को)?(?!\w)|कृपया",
)
_ADDRESS = re.compile(rf"\b(?:{'|'.join(_WORDS)})\b|{'|'.join(_SCRIPTS)}", re.IGNORECASE)


@lru_cache(maxsize=2048)
def speaks_to_resident(text: str) -> bool:
    """Say whether a text speaks to its reader; what it quotes does not count."""
    return bool(_ADDRESS.search(_QUOTED.sub(" ", text)))
