"""robots.txt is obeyed when the user wants it to be, and read once a host."""

import asyncio

import pytest

from fetch.conftest import RunWith
from loopback import Reply, WebServer
from spyglass.fetch.fetcher import fetch
from spyglass.fetch.robots import product
from spyglass.kernel.errors import FetchDeadlineError, RobotsError
from spyglass.kernel.settings import Settings

TEXT = "text/plain"


@pytest.mark.parametrize(
    ("user_agent", "name"),
    [
        (Settings().network.user_agent, "Spyglass"),
        ("Mozilla/5.0 (compatible; Other-Bot/2.1; +http://a.example)", "Other-Bot"),
        ("SmallBot/0.1", "SmallBot"),
        ("", ""),
    ],
)
def test_a_robot_is_called_by_its_product_name(user_agent: str, name: str) -> None:
    assert product(user_agent) == name


async def test_a_forbidden_page_is_not_asked_for(web_server: WebServer, run_with: RunWith) -> None:
    async with run_with(fetch__robots=True) as run:
        with pytest.raises(RobotsError, match='does not allow "Spyglass" to read this page') as refused:
            await fetch(run, web_server.url("/private/diary"))
        assert refused.value.where == web_server.url("/private/diary")
        await fetch(run, web_server.url("/article"))
    assert web_server.visits_to("/private/diary") == []


async def test_without_the_setting_it_is_not_read(web_server: WebServer, run_with: RunWith) -> None:
    async with run_with(fetch__robots=False) as run:
        await fetch(run, web_server.url("/private/diary"))
    assert web_server.visits_to("/robots.txt") == []


async def test_it_is_read_once_for_all_pages_of_a_host(web_server: WebServer, run_with: RunWith) -> None:
    async with run_with(fetch__robots=True) as run:
        await asyncio.gather(*(fetch(run, web_server.url(f"/article?{number}")) for number in range(8)))
        await fetch(run, web_server.url("/article", "127.0.0.2"))
    assert [visit.host for visit in web_server.visits_to("/robots.txt")] == ["127.0.0.1", "127.0.0.2"]


async def test_a_rule_for_us_by_name_counts_more_than_that_for_all(web_server: WebServer, run_with: RunWith) -> None:
    rules = "User-agent: *\nDisallow: /\n\nUser-agent: spyglass\nDisallow: /private/\n"
    web_server.put("/robots.txt", Reply(rules, content_type=TEXT))
    async with run_with(fetch__robots=True) as run:
        assert (await fetch(run, web_server.url("/article"))).text
        with pytest.raises(RobotsError):
            await fetch(run, web_server.url("/private/diary"))


async def test_a_page_that_redirects_to_a_forbidden_one_is_refused(web_server: WebServer, run_with: RunWith) -> None:
    async with run_with(fetch__robots=True) as run:
        with pytest.raises(RobotsError):
            await fetch(run, web_server.url("/redirect?to=/private/diary"))


@pytest.mark.parametrize("status", [404, 403, 410])
async def test_a_host_without_rules_forbids_nothing(web_server: WebServer, run_with: RunWith, status: int) -> None:
    web_server.put("/robots.txt", Reply("User-agent: *\nDisallow: /", status=status))
    async with run_with(fetch__robots=True) as run:
        assert (await fetch(run, web_server.url("/article"))).text


async def test_an_endless_page_in_its_place_forbids_nothing(web_server: WebServer, run_with: RunWith) -> None:
    web_server.put("/robots.txt", Reply(status=302, headers={"Location": "/endless"}))
    async with run_with(fetch__robots=True) as run:
        assert (await fetch(run, web_server.url("/article"))).text


@pytest.mark.parametrize(
    "reply", [Reply(status=500), Reply(status=503), Reply(status=302, headers={"Location": "/reset"})]
)
async def test_rules_that_cannot_be_read_forbid_everything(
    web_server: WebServer, run_with: RunWith, reply: Reply
) -> None:
    web_server.put("/robots.txt", reply)
    async with run_with(fetch__robots=True) as run:
        with pytest.raises(RobotsError, match=r"robots\.txt cannot be read"):
            await fetch(run, web_server.url("/article"))
    assert web_server.visits_to("/article") == []


async def test_the_pause_that_a_host_asks_for_is_kept_and_costs_no_more_than_a_page_may_take(
    web_server: WebServer, run_with: RunWith
) -> None:
    web_server.put("/robots.txt", Reply("User-agent: *\nCrawl-delay: 600\n", content_type=TEXT))
    async with run_with(fetch__robots=True) as run:
        assert (await fetch(run, web_server.url("/article?1"))).text
        hurried = run.settings.updated(fetch__page_deadline=1.0)
        with pytest.raises(FetchDeadlineError):
            await fetch(run, web_server.url("/article?2"), settings=hurried)
    assert len(web_server.visits_to("/article")) == 1
