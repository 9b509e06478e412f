"""Detection of pages that are shown instead of the requested page: robot check, cookie wall, log-in wall, paywall.

A page is such a wall if it has little text and a sentence that asks the reader to do something before anything is
shown. An article about captchas or cookies has more text, and its sentences describe instead of asking.
"""

import re
from collections.abc import Iterable
from typing import Final

from .block import Block, length
from .parser import ParsedBlocks

FEW: Final = 900  # characters of text; only a page with less can be a robot check, a log-in wall or a cookie wall
FEW_OF_ARTICLE: Final = 1_600
"""Characters of text; only a page with less can be a paywall, which leaves the beginning of an article."""

MANY: Final = 5_000
"""Characters of text; only a page with less can be a cookie wall that explains itself at length below its title."""

HARDLY_ANY: Final = 240  # characters of text below which a mark of a robot check in the source (_CHALLENGE) suffices
NONE: Final = 30  # characters of text below which a captcha widget in the source (_WIDGET) suffices
OTHER: Final = 80  # characters on other subjects from which a page is no cookie wall
LABEL: Final = 3  # most words of a button or a field's label
SOURCE: Final = 100_000  # first characters of a page's source that are searched for marks of robot checks

_CHALLENGE: Final = re.compile(
    r"/cdn-cgi/challenge-platform/h/|_cf_chl_opt|cf-browser-verification|captcha-delivery\.com|px-captcha|_pxAppId|"
    r"_Incapsula_Resource|token\.awswaf\.com|awsWafCookieDomainList|ddos-guard/js-challenge|sucuri_cloudproxy_js|"
    r"distil_r_captcha|/_sec/cp_challenge/|anubis_challenge|ips\.js\?KP_UIDz",
    re.IGNORECASE,
)
_WIDGET: Final = re.compile(
    r"g-recaptcha|google\.com/recaptcha/|h-captcha|hcaptcha\.com/|challenges\.cloudflare\.com|arkoselabs\.com|"
    r"geetest_|friendlycaptcha",
    re.IGNORECASE,
)
"""Captcha widgets, which ordinary forms contain as well."""

_POLITE: Final = (
    r"please\W+|bitte\W+|veuillez\W+|merci de\W+|por favor\W+|per favore\W+|sorry\W+|oops\W+|hold on\W+|to continue\W+|"
    r"um fortzufahren\W+|pour continuer\W+|para continuar\W+|(?:[\w-]{1,60}\.){1,4}[a-z]{2,}\W+"
)


def _opening(*phrases: str) -> re.Pattern[str]:
    """Return a pattern of the phrases at the start of a sentence, perhaps after a polite word or a host's name."""
    return re.compile(rf"(?:^|[.!?…:]\s+)(?:{_POLITE})?(?:{'|'.join(phrases)})", re.IGNORECASE)


_ROBOT: Final = _opening(
    # English
    r"(?:verify|verifying|confirm|prove) (?:that )?you(?: are|['’]re)? (?:not )?(?:an? )?(?:human|robot|bot|real)",
    r"(?:let us know|let['’]s confirm|we need to (?:verify|confirm|make sure)|make sure) (?:that )?you(?:['’]re| are)",
    r"checking (?:your browser|if the site connection is secure|that you are)",
    r"(?:verify|verifying) (?:your browser|your identity|access)\b|performing security verification",
    r"(?:are you|i['’]m not|i am not|you are not) a (?:human|robot|bot)\b",
    r"just a moment\b|attention required|pardon our interruption|one more step|robot check|human verification",
    r"(?:complete|solve|enter|type) (?:the |this |a |in )?(?:captcha|security check|puzzle|characters you see)",
    r"(?:our systems have|we have|we['’]ve) (?:detected|noticed) (?:unusual|suspicious|automated)",
    r"(?:unusual|suspicious|automated) (?:traffic|activity|requests?) (?:from|detected|has been|have been|was)",
    r"(?:enable|turn on|activate) (?:javascript|js) and cookies|press (?:&|and) hold",
    r"security (?:check|verification)(?: required)?\W*$|needs to review the security of your",
    r"access (?:to this page (?:has been|is) )?(?:denied|blocked)\b|you (?:have been|are) blocked",
    r"this (?:process|website|site) (?:is automatic|is using a security service)|ddos protection by",
    # German
    r"(?:bestätigen|beweisen|überprüfen|zeigen) sie,? dass sie (?:ein|kein)",
    r"(?:sind sie|ich bin|sie sind) (?:ein|kein) (?:mensch|roboter|bot)\b",
    r"(?:nur )?einen (?:moment|augenblick)\b|sicherheits(?:über)?prüfung\W*$|zugriff (?:verweigert|gesperrt)",
    r"(?:wir haben )?ungewöhnlich\w* (?:datenverkehr|aktivität|zugriff)|(?:ihr )?browser wird (?:über)?geprüft",
    r"(?:aktivieren|erlauben) sie javascript und cookies|lösen sie (?:das|dieses) captcha",
    # French
    r"(?:vérifi|confirm|prouv)\w+ que vous (?:êtes|n['’]êtes)",
    r"(?:êtes-vous|je ne suis pas|vous n['’]êtes pas) un (?:humain|robot)\b",
    r"un (?:instant|moment)\W*$|vérification (?:de (?:la )?sécurité|de votre (?:navigateur|connexion)|en cours)",
    r"accès (?:refusé|bloqué|interdit)|(?:nous avons détecté )?une? (?:trafic|activité) (?:inhabituel|suspect)",
    r"activ\w+ javascript et les cookies|(?:résolvez|complétez) (?:le|ce) captcha",
    # Spanish
    r"(?:verifi|confirm|comprueb|demuestr)\w+ que (?:usted |tú )?(?:no )?(?:eres|es)\b",
    r"no soy un robot|¿?(?:eres|es usted) un (?:humano|robot)\b",
    r"(?:espere )?un momento\W*$|(?:verificación|comprobación) de seguridad|acceso (?:denegado|bloqueado)",
    r"(?:hemos detectado )?(?:tráfico|actividad) (?:inusual|sospechos)",
    r"(?:comprobando|verificando) (?:su|tu) (?:navegador|conexión)|(?:resuelv|complet)\w+ (?:el|este) captcha",
    r"(?:habilit|activ)\w+ javascript y (?:las )?cookies",
    # Italian, Portuguese
    r"(?:verifica|conferma|dimostra) (?:che sei|di essere) (?:un essere )?uman|non sono un robot",
    r"(?:confirme|verifique) que (?:você )?(?:é|não é) (?:um )?(?:humano|robô)|não sou um robô",
)
"""Demands of robot checks, in the words of Cloudflare, DataDome, HUMAN, Akamai, Imperva, AWS and Google."""

_BEFORE: Final = (
    r"before you (?:continue|proceed)|bevor sie (?:fortfahren|weiter)|avant (?:d['’]accéder|de continuer)|"
    r"antes de (?:continuar|seguir|ir)\b|prima di continuare|voordat (?:je|u) (?:verder|door)"
)
_CONSENT: Final = _opening(
    _BEFORE,
    r"(?:accept|allow|agree to) (?:all )?(?:the )?(?:cookies|and (?:continue|close|proceed))",
    r"(?:accept|allow|reject) all\b|i (?:agree|accept)\b|agree and (?:continue|close)",
    r"(?:alle )?(?:cookies )?(?:akzeptieren|zulassen|annehmen)\b|allen? (?:cookies )?zustimmen|zustimmen und weiter",
    r"tout (?:accepter|refuser)|accepter (?:et|tous|toutes|les)\b|autoriser (?:tous|les)|acceptez (?:tous|les)",
    r"(?:acept\w+|permitir) (?:todas?|todos?|las|y|cookies)\b|accett\w+ (?:tutti|tutto|i cookie)",
    r"aceit\w+ (?:todos|tudo|cookies)|alles accepteren|alle cookies accepteren",
)
_CONSENT_TITLE: Final = re.compile(
    rf"\W*(?:{_BEFORE}|.{{0,30}}privacy ?gate|(?:cookie )?(?:consent|einwilligung|zustimmung)\W*$|"
    r"(?:we|we and our partners) (?:value|care about|respect) your privacy|your privacy is important|"
    r"(?:wir schätzen )?ihre privatsphäre\b|(?:nous )?respect\w* (?:de )?votre vie privée|valoramos tu privacidad)",
    re.IGNORECASE,
)
_ABOUT_CONSENT: Final = re.compile(
    r"cookie|consent|privacy|partners|personal data|advertis|tracking|vendors|legitimate interest|accept|reject|agree|"
    r"datenschutz|privatsphäre|einwilligung|zustimm|akzeptier|partner|werbung|ablehnen|"
    r"confidentialité|vie privée|accepter|refuser|consentement|publicité|"
    r"privacidad|consentimiento|aceptar|rechazar|socios|publicidad|riservatezza|consenso|accetta|privacidade|aceitar|"
    r"sign in|log in|settings|options|einstellungen|paramètres|configur|impressum|continue",
    re.IGNORECASE,
)
_SIGN_IN: Final = r"(?:log|sign)(?:ged|ned)?[ -]?in"
_LOG_IN: Final = _opening(
    rf"you (?:must|need to|have to) (?:first )?(?:be )?{_SIGN_IN}",
    rf"(?:in order )?to (?:view|see|read|access)[^.]{{0,60}}?,? (?:you (?:must|need to) |please )?(?:be )?{_SIGN_IN}",
    rf"{_SIGN_IN}(?: or (?:sign up|register|create an account))? to (?:continue|view|see|read|access|your|proceed)",
    rf"(?:member |user |account |customer )?{_SIGN_IN}(?: (?:is )?required)?\W*$|login(?: required)?\W*$",
    r"(?:melden sie sich|melde dich|loggen sie sich|logge dich)\b[^.]{0,40}\b(?:an|ein)\b",
    r"(?:anmelden|einloggen|anmeldung(?: erforderlich)?)\W*$|sie müssen (?:sich anmelden|angemeldet|eingeloggt)",
    r"(?:connectez|identifiez)-vous\b|vous devez (?:être connecté|vous connecter)",
    r"(?:se connecter|connexion|identification)\W*$",
    r"(?:inicia|inicie) sesión\b|debes? (?:iniciar sesión|estar registrado|identificarte)",
    r"(?:iniciar sesión|acceder)\W*$|accedi (?:per|al)\b|(?:faça|fazer) login",
)
_PAY: Final = _opening(
    r"(?:subscribe|sign up|register|create an? (?:free )?account)[^.]{0,40} to (?:continue|keep|read|unlock|access)",
    r"(?:this|the) (?:article|content|story|page|post) is (?:only |exclusively )?(?:for|available to|reserved for)"
    r" (?:our |paid |paying )?(?:subscribers|members)",
    r"(?:continue reading|unlock|read the (?:full|rest)|already a)[^.]{0,40}(?:subscri|member|trial|log in|sign in)",
    r"you(?:['’]ve| have) (?:reached|read|used) (?:your|all)[^.]{0,40}(?:limit|free articles)",
    r"(?:jetzt )?(?:weiterlesen|abonnieren)[^.]{0,30}(?:mit|abo|plus|und)\b",
    r"dieser (?:artikel|inhalt|text|beitrag) ist (?:nur |exklusiv )?(?:für|mit|unseren)[^.]{0,30}(?:abo|mitglied)",
    r"(?:cet |l['’])(?:article|contenu)\b[^.]{0,10}réservé (?:aux|à nos) abonnés",
    r"(?:abonnez|inscrivez)-vous pour (?:lire|continuer|accéder|débloquer)|il vous reste [^.]{0,20} à lire",
    r"(?:este|el) (?:artículo|contenido) es (?:solo |exclusivo |sólo )?(?:para|de)[^.]{0,20}(?:suscriptor|abonad)",
    r"(?:suscríb|regístr)\w+ para (?:seguir|continuar|leer|acceder)|(?:contenido|artículo) exclusivo para suscriptores",
)


def wall(page: ParsedBlocks, title: str, source: str) -> str:
    """Return the kind of wall that a page is: "robot check", "cookie wall", "log-in wall", "paywall", or ""."""
    blocks = page.blocks
    size = length(blocks)
    if size >= MANY:
        return ""
    lines = [title, *(block.text for block in blocks if block.kind != "code")]
    if size < FEW and _is_robot_check([*lines, page.noscript], size, source):
        return "robot check"
    headings = [title, *(block.text for block in blocks if block.kind == "heading")]
    if _is_cookie_wall(blocks, lines, headings, size):
        return "cookie wall"
    if size < FEW and _is_log_in(page, lines, headings):
        return "log-in wall"
    if size < FEW_OF_ARTICLE and _demands(_PAY, lines):
        return "paywall"
    return ""


def _is_robot_check(lines: list[str], size: int, source: str) -> bool:
    """Return whether a short page demands proof of a human, or has a mark of a robot check and hardly any text."""
    return (
        _demands(_ROBOT, lines)
        or (size < HARDLY_ANY and bool(_CHALLENGE.search(source, 0, SOURCE)))
        or (size < NONE and bool(_WIDGET.search(source, 0, SOURCE)))
    )


def _is_cookie_wall(blocks: list[Block], lines: list[str], headings: list[str], size: int) -> bool:
    """Whether a page asks for consent and is about nothing else."""
    if not any(map(_CONSENT_TITLE.match, headings)) and not (size < FEW and _demands(_CONSENT, lines)):
        return False
    paragraphs = [block for block in blocks if block.kind != "heading"]
    other = length(block for block in paragraphs if not _ABOUT_CONSENT.search(block.text))
    return bool(paragraphs) and other < max(OTHER, size // 10)


def _is_log_in(page: ParsedBlocks, lines: list[str], headings: list[str]) -> bool:
    """Whether a short page asks to log in: in a sentence, or by a form below a title that says so."""
    if any(len(line.split()) > LABEL and _LOG_IN.search(line) for line in lines):
        return True
    return page.passwords > 0 and _demands(_LOG_IN, headings)


def _demands(pattern: re.Pattern[str], lines: Iterable[str]) -> bool:
    return any(pattern.search(line[:2_000]) for line in lines)
