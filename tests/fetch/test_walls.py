"""What stands in place of a page is recognised; a page that writes about it is not taken for it."""

import pytest

from spyglass.documents.html.reader import Extract, read_html

CLOUDFLARE = """<!DOCTYPE html><html lang="en-US"><head><title>Just a moment...</title>
<meta name="robots" content="noindex,nofollow"></head><body><div class="main-wrapper" role="main">
<div class="main-content"><noscript><div class="h2"><span id="challenge-error-text">Enable JavaScript and cookies to
continue</span></div></noscript></div></div><script>window._cf_chl_opt={cvId:'3'};
var a=document.createElement('script');a.src='/cdn-cgi/challenge-platform/h/b/chl_page/v1';</script></body>"""

DATADOME = """<html lang="en"><head><title>example.com</title></head><body><p id="cmsg">Please enable JS
and disable any ad blocker</p><script data-cfasync="false">var dd={'rt':'c','host':'geo.captcha-delivery.com'}</script>
<script src="https://ct.captcha-delivery.com/c.js"></script></body></html>"""

HUMAN = """<html><head><title>Access to this page has been denied</title></head><body><h1>Press &amp; Hold to confirm
you are a human (and not a bot).</h1><div id="px-captcha"></div><p>Reference ID 6a1f</p>
<script>window._pxAppId='PXabc';</script></body></html>"""

AKAMAI = """<HTML><HEAD><TITLE>Access Denied</TITLE></HEAD><BODY><H1>Access Denied</H1>You don't have permission to
access "http&#58;&#47;&#47;www.example.com&#47;" on this server.<P>Reference&#32;&#35;18&#46;6d</BODY></HTML>"""


def page(title: str, body: str) -> str:
    return f"<!doctype html><html><head><meta charset=utf-8><title>{title}</title></head><body>{body}</body></html>"


def paragraphs(*texts: str) -> str:
    return "".join(f"<p>{text}</p>" for text in texts)


def read(source: str) -> Extract:
    return read_html(source.encode(), "https://example.com/page", "text/html")


def test_a_robot_check_is_recognised() -> None:
    cases = [
        CLOUDFLARE,
        DATADOME,
        HUMAN,
        AKAMAI,
        page("Robot Check", "<h4>Enter the characters you see below</h4><p>Sorry, we just need to make sure.</p>"),
        page("Pardon Our Interruption", "<p>As you were browsing something made us think you were a bot.</p>"),
        page("www.example.org", "<h1>example.org</h1><p>Verify you are human by completing the action below.</p>"),
        page("Einen Moment", "<h1>Sicherheitsprüfung</h1><p>Bestätigen Sie, dass Sie ein Mensch sind.</p>"),
        page("Zugriff", "<p>Wir haben ungewöhnlichen Datenverkehr festgestellt. Sind Sie ein Roboter?</p>"),
        page("Un instant…", "<p>Vérifiez que vous êtes humain en effectuant l’action ci-dessous.</p>"),
        page("Accès", "<h1>Accès refusé</h1><p>Nous avons détecté un trafic inhabituel.</p>"),
        page("Un momento…", "<p>Verifique que usted es un ser humano completando la acción.</p>"),
        page("Control", "<p>Por favor, resuelva este captcha para continuar.</p><p>No soy un robot</p>"),
        page("", "<script src='https://www.google.com/recaptcha/api.js'></script><div class=g-recaptcha></div>"),
    ]
    assert [source for source in cases if read(source).wall != "robot check"] == []


def test_a_cookie_wall_is_recognised() -> None:
    cases = [
        page("Before you continue", "<p>We value your privacy. Accept all cookies to continue.</p>"),
        page(
            "Before you continue to Search",
            "<h1>Before you continue</h1>"
            + paragraphs(*["We use cookies and data to deliver and maintain services, track outages and fraud."] * 12)
            + "<button>Reject all</button><button>Accept all</button><a href=/s>More options</a>",
        ),
        page("Zeitung", "<p>Wir und unsere Partner verwenden Cookies.</p><button>Alle akzeptieren</button>"),
        page(
            "Bevor Sie fortfahren",
            "<p>Wir verwenden Cookies, um Ihre Einwilligung zu speichern.</p><p>Alle ablehnen</p>",
        ),
        page("Journal", "<p>Avec votre accord, nos partenaires et nous utilisons des cookies.</p><a>Tout accepter</a>"),
        page(
            "Avant de continuer", "<p>Le respect de votre vie privée est notre priorité.</p><p>Accepter et fermer</p>"
        ),
        page("Diario", "<p>Utilizamos cookies propias y de terceros.</p><button>Aceptar todas</button>"),
        page("DPG Media Privacy Gate", "<h1>Privacy Gate</h1><p>Wij gebruiken cookies. Accept to continue.</p>"),
    ]
    assert [source for source in cases if read(source).wall != "cookie wall"] == []


def test_a_log_in_wall_is_recognised() -> None:
    cases = [
        page("Members", "<h1>Log in to continue</h1><form><input name=u><input type=password></form>"),
        page("Sign in", "<form><input name=user><input type=password><button>Sign in</button></form>"),
        page("Forum", "<p>You must be logged in to view this topic.</p>"),
        page("Forum", "<p>Please log in to see this page.</p>"),
        page("Anmelden", "<form><input type='password'></form><a href=/p>Passwort vergessen?</a>"),
        page("Forum", "<p>Bitte melden Sie sich an, um diesen Beitrag zu lesen.</p>"),
        page("Connexion", "<form><input type=password></form>"),
        page("Réseau", "<p>Connectez-vous pour voir cette publication.</p>"),
        page("Red", "<p>Inicia sesión para ver esta publicación.</p>"),
    ]
    assert [source for source in cases if read(source).wall != "log-in wall"] == []


@pytest.mark.parametrize(
    "source",
    [
        page("News", "<p>The council met on Monday.</p><p>Subscribe to continue reading.</p>"),
        page("News", "<p>The council met.</p><h2>This article is for subscribers only</h2>"),
        page("Zeitung", "<p>Der Rat tagte am Montag.</p><p>Jetzt weiterlesen mit Plus</p>"),
        page("Journal", "<p>Le conseil s’est réuni.</p><p>Cet article est réservé aux abonnés.</p>"),
        page("Diario", "<p>El consejo se reunió.</p><p>Contenido exclusivo para suscriptores</p>"),
    ],
)
def test_a_paywall_is_recognised(source: str) -> None:
    assert read(source).wall == "paywall"


def test_a_page_about_walls_or_with_a_banner_is_no_wall() -> None:
    cases = [
        page(
            "How captchas work",
            paragraphs(
                "A captcha is a test that asks visitors to verify that they are human, say by distorted letters.",
                "Sites show it when they see unusual traffic. Critics say that you are made to work for free.",
            )
            + "<script src='https://www.google.com/recaptcha/api.js'></script>",
        ),
        page("Contact", paragraphs("Contact us", *["We answer in a day."] * 9) + "<div class='g-recaptcha'></div>"),
        page("Was ist ein Captcha?", "<p>Ein Captcha soll zeigen, dass jemand ein Mensch und kein Roboter ist.</p>"),
        page("Le captcha", "<p>Un captcha vérifie que le visiteur est bien un humain et non un robot.</p>"),
        page("El captcha", "<p>Un captcha comprueba que el visitante no es un robot, sino una persona.</p>"),
        page("Cookies explained", "<p>A cookie is a small file. Many sites ask visitors to accept all cookies.</p>"),
        page("Cookies", "<p>Ein Cookie ist eine kleine Datei, die viele Seiten erst nach Einwilligung setzen.</p>"),
        page("Les cookies", "<p>Un cookie est un petit fichier que beaucoup de sites déposent après consentement.</p>"),
        page("Galletas", "<p>Una cookie es un archivo pequeño que muchos sitios guardan si el usuario acepta.</p>"),
        page(
            "Comets",
            "<div class='cookie-banner'><p>We use cookies. </p><button>Accept all</button></div>"
            "<p>A comet is an icy body that releases gas when it passes close to the Sun.</p>"
            "<p>Halley's returns every 75 years or so and was last seen in 1986.</p>",
        ),
        page("Login forms", "<p>A login form has two fields. You can log in with a name and a password.</p>"),
        page(
            "Weather",
            "<form><input name=u><input type=password><button>Log in</button></form>"
            "<p>Rain is expected in the north, sunshine in the south, and wind everywhere.</p>",
        ),
        page("Subscribe", "<p>How newspapers ask readers to subscribe has changed: paywalls are now metered.</p>"),
        page("A moment in history", "<p>It took just a moment. The wall fell in 1989.</p>"),
        page("Access", "<p>Access control denies or grants a right. See the section on access denied errors.</p>"),
        page("", ""),
    ]  # fmt: skip
    assert [source for source in cases if read(source).wall != ""] == []


def test_a_long_page_is_no_wall_whatever_it_says_first() -> None:
    body = "<p>Verify you are human.</p>" + paragraphs(*["The history of the Turing test is long."] * 60)
    assert read(page("Just a moment", body)).wall == ""


def test_the_ordinary_page_behind_a_log_in_form_keeps_its_text() -> None:
    found = read(page("Weather", "<form><input type=password></form><p>Rain is expected.</p>"))
    assert (found.wall, found.text) == ("", "Rain is expected.")
