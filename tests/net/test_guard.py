import random
import socket
from ipaddress import IPv4Address, IPv6Address, ip_address

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from yarl import URL

from loopback.names import Names
from net.spellings import (
    PUBLIC_URLS,
    hosts_of,
    public_urls,
    public_v4,
    public_v6,
    some_v4,
    some_v6,
    urls_of,
    urls_of_names,
    urls_of_v6,
)
from spyglass.kernel.errors import AddressError, SettingsError, UnreachableError
from spyglass.kernel.settings import Settings
from spyglass.net.address import kind_of
from spyglass.net.guard import BAD_PORTS, Guard, system_lookup
from spyglass.net.host import HostError, read_host

V4 = st.integers(0, 2**32 - 1).map(IPv4Address)
V6 = st.integers(0, 2**128 - 1).map(IPv6Address)
NOT_PUBLIC = st.sampled_from(some_v4(random.Random(1), 400))


def guard(*allowed: str, names: Names | None = None) -> Guard:
    return Guard(Settings(network__allow_private=list(allowed)), lookup=names or Names())


GUARD = guard()


def refuses(url: str, *allowed: str) -> AddressError:
    with pytest.raises(AddressError) as caught:
        pytest.fail(f"{url} became {guard(*allowed).check_url(url)}")
    return caught.value


@given(NOT_PUBLIC)
def test_no_spelling_of_an_ipv4_address_that_is_not_public_passes(address: IPv4Address) -> None:
    for kind, url in urls_of(address):
        assert "not valid" not in refuses(url).what, f"{kind}: {url} is no spelling of it"


@given(st.sampled_from(some_v6(random.Random(2), 400)))
def test_no_spelling_of_an_ipv6_address_that_is_not_public_passes(address: IPv6Address) -> None:
    for kind, url in urls_of_v6(address):
        assert (kind == "zone") == ("has a zone" in refuses(url).what), url


def test_names_of_local_networks_and_metadata_services_pass_in_no_spelling(subtests: pytest.Subtests) -> None:
    for _, url in urls_of_names():
        with subtests.test(url=url):
            assert "belongs to a local network" in refuses(url).what or "this machine" in refuses(url).what


def test_a_public_address_passes_in_its_normal_form(subtests: pytest.Subtests) -> None:
    for url, normal in PUBLIC_URLS.items():
        with subtests.test(url=url, normal=normal):
            assert GUARD.check_url(url) == normal
            assert GUARD.check_url(normal) == normal


def test_nothing_legitimate_is_refused() -> None:
    for _, url in public_urls(random.Random(3), 100):
        assert GUARD.check_url(url).startswith(("http://", "https://"))


@given(V4)
@example(IPv4Address("192.88.99.1"))
def test_ipv4_addresses_are_public_just_as_pythons_own_tables_say(address: IPv4Address) -> None:
    public = address.is_global and not address.is_multicast
    if address in (IPv4Address("168.63.129.16"), IPv4Address("192.88.99.1")):
        public = False  # Azure's metadata service, and the relays of a tunnel that nobody runs any more
    assert (kind_of(address) is None) == public


@given(V6 | st.sampled_from(public_v6(random.Random(4), 200)))
def test_an_ipv6_address_that_python_calls_private_is_never_public(address: IPv6Address) -> None:
    if not address.is_global or address.is_multicast or address.is_reserved:
        assert kind_of(address)


@given(st.sampled_from(public_v4(random.Random(5), 200)))
def test_a_public_ipv4_address_stays_public_inside_a_mapped_or_translated_one(address: IPv4Address) -> None:
    for host in (f"::ffff:{address}", f"64:ff9b::{address}"):
        assert kind_of(ip_address(host)) is None


NUMERIC = st.lists(
    st.integers(0, 2**33).flatmap(
        lambda number: st.sampled_from([f"{number}", f"0{number:o}", f"0x{number:x}", f"{number % 300}"])
    )
    | st.text("0123456789abcdefx", max_size=5),
    min_size=1,
    max_size=5,
).map(".".join)


@given(NUMERIC | V4.flatmap(lambda one: st.sampled_from([host for hosts in hosts_of(one).values() for host in hosts])))
def test_a_host_is_never_read_differently_from_the_c_library(host: str) -> None:
    try:
        theirs = socket.inet_ntoa(socket.inet_aton(host))
    except OSError:
        return
    try:
        ours = read_host(host)
    except HostError:
        return
    assert ours == theirs


@given(st.text("0123456789aAzZ.-_:@/\\?#[]%&= \t\né。１ⓐ", max_size=40))
def test_any_text_is_refused_or_read_alike_by_guard_and_client(text: str) -> None:
    try:
        target = GUARD.check_target(f"http://{text}")
    except AddressError:
        return
    sent = URL(str(target), encoded=True)
    assert (sent.scheme, sent.raw_host, sent.port, sent.raw_path_qs) == (
        target.scheme,
        target.host,
        target.port,
        target.path,
    )
    assert sent.user is None
    assert sent.password is None
    assert GUARD.check_url(str(target)) == str(target)


@given(st.text(max_size=60))
def test_any_text_at_all_is_an_address_or_a_clear_error(text: str) -> None:
    said = ""
    try:
        assert GUARD.check_url(text).isascii()
    except AddressError as error:
        said = str(error)
    assert said.isprintable()


@pytest.mark.parametrize(
    "scheme", ["file:///etc/passwd", "data:text/html,x", "ftp://example.com", "javascript:1", "raw:x"]
)
def test_other_schemes_are_refused_with_a_remedy(scheme: str) -> None:
    error = refuses(scheme)
    assert "scheme" in error.what
    assert "http://" in error.remedy


def test_credentials_are_refused_and_not_repeated() -> None:
    error = refuses("https://someone:hunter2@example.com/a?token=secret#part")
    assert error.what == "The address contains credentials"
    assert error.where == "https://example.com/a?…"
    assert "before the @" in error.remedy


@pytest.mark.parametrize(
    "url",
    [
        "http://me:hun?ter2@example.com/",
        "http://me:hun#ter2@example.com",
        "http:me:hunter2@x/",
        "https://me:hun/ter2@x/",
    ],
)
def test_no_part_of_a_password_is_shown_wherever_it_ends(url: str) -> None:
    assert "hun" not in str(refuses(url)).replace("https://me:hun/ter2", "")


def test_ports_of_other_services_are_refused() -> None:
    assert [
        port
        for port in [22, 25, 81, *sorted(BAD_PORTS)]
        if f"Port {port}" not in refuses(f"http://example.com:{port}/").what
    ] == []


def test_a_port_that_is_none_is_refused() -> None:
    cases = ["0", "65536", "99999", "-1", "x", "8 0", "８０", "+80", "80:80", "1" * 5000]
    assert [port for port in cases if "not valid" not in refuses(f"http://example.com:{port}/").what] == []


@pytest.mark.parametrize("entry", ["127.0.0.0/8", "127.0.0.1", "127.0.0.1:8080", "127.0.0.1/8:8080"])
def test_a_private_address_that_the_user_allows_passes_in_every_spelling(entry: str) -> None:
    for host in ("127.0.0.1", "2130706433", "0x7f.1", "[::ffff:127.0.0.1]", "127.1."):
        assert guard(entry).check_url(f"http://{host}:8080/")


def test_an_allowance_holds_for_its_port_and_its_host_alone() -> None:
    refuses("http://127.0.0.1:8081/", "127.0.0.1:8080")
    refuses("http://127.0.0.2:8080/", "127.0.0.1:8080")
    refuses("http://10.0.0.1/", "127.0.0.0/8", "wiki.lan", "[::1]:80")
    refuses("http://wiki.lan:81/", "wiki.lan:82")
    assert guard("wiki.lan:81").check_url("http://WIKI.lan.:81/") == "http://wiki.lan:81/"
    assert guard("[::1]:22").check_url("http://[::1]:22/") == "http://[::1]:22/"
    refuses("http://[::1]:22/", "::1")


def test_an_allowance_that_does_not_parse_is_an_error_of_the_settings(subtests: pytest.Subtests) -> None:
    cases = ["http://wiki.lan/", "a b", "10.0.0.0/8:x", "", ":80", "[::1", "10.0.0.0/8:80:90"]
    for entry in cases:
        with subtests.test(entry=entry), pytest.raises(SettingsError, match="allow_private"):
            guard(entry)


async def test_every_address_of_a_name_is_looked_at() -> None:
    names = Names()
    there = guard(names=names)
    for private in [*some_v4(random.Random(6), 20), *some_v6(random.Random(7), 20)]:
        for place in range(3):
            mixed = ["8.8.8.8", "2606:4700::1"]
            mixed.insert(place, str(private))
            names.put("mixed.example", mixed)
            with pytest.raises(AddressError, match="has the address"):
                await there.resolve("mixed.example", 443)


async def test_a_translated_address_from_a_name_server_is_looked_through() -> None:
    names = Names()
    for address in ("64:ff9b::7f00:1", "::ffff:10.0.0.1", "2002:a9fe:a9fe::1", "fe80::1%eth0"):
        names.put("sly.example", [address])
        with pytest.raises(AddressError):
            await guard(names=names).resolve("sly.example", 80)
    names.put("fine.example", ["64:ff9b::808:808"])
    assert await guard(names=names).resolve("fine.example", 80) == [(socket.AF_INET6, "64:ff9b::808:808")]


async def test_a_name_is_resolved_in_its_normal_form() -> None:
    names = Names()
    names.put("xn--bcher-kva.example", ["8.8.8.8"])
    for host in ("bücher.example", "BÜCHER.example.", "xn--bcher-kva.example", "bücher。example"):
        assert await guard(names=names).resolve(host, 443) == [(socket.AF_INET, "8.8.8.8")]


async def test_an_idn_host_that_leads_to_a_private_address_is_refused() -> None:
    names = Names()
    names.put("xn--bcher-kva.example", ["10.0.0.1"])
    with pytest.raises(AddressError, match="a private address"):
        await guard(names=names).resolve("bücher.example", 443)


async def test_resolving_refuses_what_a_url_could_not_name_either(subtests: pytest.Subtests) -> None:
    cases = ["2130706433", "::1", "localhost", "wiki.lan", "127.0.0.1", "[::1]", "a b"]
    for host in cases:
        with subtests.test(host=host), pytest.raises(AddressError):
            await guard().resolve(host, 80)


async def test_literals_and_localhost_ask_no_name_server() -> None:
    names = Names()
    there = guard("127.0.0.0/8", names=names)
    assert await there.resolve("localhost", 8080) == [(socket.AF_INET, "127.0.0.1")]
    assert await there.resolve("127.1", 8080) == [(socket.AF_INET, "127.0.0.1")]
    assert await there.resolve("[2606:4700::1]", 8080) == await there.resolve("2606:4700::1", 8080)
    assert await there.resolve("2606:4700::1", 8080) == [(socket.AF_INET6, "2606:4700::1")]
    assert not names.lookups


async def test_an_allowed_name_may_lead_to_a_private_address_and_another_to_it_may_not() -> None:
    names = Names()
    for name in ("wiki.lan", "evil.example"):
        names.put(name, ["10.0.0.5"])
    there = guard("wiki.lan", names=names)
    assert await there.resolve("wiki.lan", 8080) == [(socket.AF_INET, "10.0.0.5")]
    with pytest.raises(AddressError, match=r"10\.0\.0\.5"):
        await there.resolve("evil.example", 8080)


async def test_a_local_name_may_lead_into_an_allowed_network_and_nowhere_else() -> None:
    names = Names()
    names.put("wiki.corp", ["10.0.0.5"], ["192.168.0.5"])
    there = guard("10.0.0.0/8", names=names)
    assert await there.resolve("wiki.corp", 8080) == [(socket.AF_INET, "10.0.0.5")]
    with pytest.raises(AddressError, match="a private address"):
        await there.resolve("wiki.corp", 8080)
    with pytest.raises(AddressError, match="name belongs to a local network"):
        await guard("10.0.0.0/8:80", names=names).resolve("wiki.corp", 8080)


async def test_a_name_without_an_address_is_unreachable() -> None:
    names = Names()
    names.put("empty.example", [])
    with pytest.raises(UnreachableError, match="no address"):
        await guard(names=names).resolve("empty.example", 80)
    with pytest.raises(UnreachableError, match="does not exist"):
        await guard(names=names).resolve("nowhere.example", 80)


async def test_the_systems_name_service_is_asked_in_a_thread_of_its_own() -> None:
    assert (socket.AF_INET, "127.0.0.1") in await system_lookup("localhost", 80)
    with pytest.raises(UnreachableError, match="nowhere"):
        await system_lookup("nowhere.invalid", 80)
