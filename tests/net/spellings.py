"""Spellings of addresses that must be refused, by the way in which they hide; and addresses that must not be."""

from collections.abc import Iterator
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_network
from random import Random
from typing import Final
from urllib.parse import quote

PRIVATE_V4: Final = [
    ip_network(text)
    for text in (
        "0.0.0.0/8",
        "10.0.0.0/8",
        "100.64.0.0/10",
        "127.0.0.0/8",
        "169.254.0.0/16",
        "172.16.0.0/12",
        "192.0.0.0/29",
        "192.0.2.0/24",
        "192.168.0.0/16",
        "198.18.0.0/15",
        "198.51.100.0/24",
        "203.0.113.0/24",
        "224.0.0.0/4",
        "240.0.0.0/4",
    )
]
KNOWN_V4: Final = [
    IPv4Address(text)
    for text in (
        "127.0.0.1",
        "0.0.0.0",
        "10.0.0.1",
        "172.31.255.255",
        "192.168.1.1",
        "169.254.169.254",
        "100.100.100.200",
        "168.63.129.16",
        "192.0.0.192",
        "255.255.255.255",
    )
]
PRIVATE_V6: Final = [
    ip_network(text)
    for text in (
        "::1/128",
        "::/128",
        "fe80::/10",
        "fec0::/10",
        "fc00::/7",
        "ff00::/8",
        "2001:db8::/32",
        "3fff::/20",
        "100::/64",
        "64:ff9b:1::/48",
        "2001::/32",
        "5f00::/16",
        "4000::/3",
    )
]
KNOWN_V6: Final = [IPv6Address(text) for text in ("::1", "::", "fd00:ec2::254", "fd20:ce::254", "fe80::1", "ff02::1")]
LOCAL_NAMES: Final = (
    "localhost",
    "a.b.localhost",
    "localhost.localdomain",
    "printer.local",
    "wiki.lan",
    "nas.home.arpa",
    "router",
    "metadata",
    "instance-data.ec2.internal",
    "metadata.google.internal",
    "metadata.goog",
    "kubernetes.default.svc.cluster.local",
)

_FULL_WIDTH: Final = {
    ord(ascii_sign): chr(ord(ascii_sign) + 0xFEE0) for ascii_sign in "0123456789abcdefghijklmnopqrstuvwxyz."
}
_CIRCLED: Final = {**{ord(str(digit)): chr(0x2460 + digit - 1) for digit in range(1, 10)}, ord("0"): "⓪"}
_CIRCLED_LETTERS: Final = {
    ord(letter): chr(0x24D0 + place) for place, letter in enumerate("abcdefghijklmnopqrstuvwxyz")
}


def some_v4(random: Random, count: int) -> list[IPv4Address]:
    """Return addresses that are not public: the known ones, and others of every network."""
    drawn = [_drawn(random, PRIVATE_V4[place % len(PRIVATE_V4)]) for place in range(count)]
    return [*KNOWN_V4, *(address for address in drawn if isinstance(address, IPv4Address))]


def some_v6(random: Random, count: int) -> list[IPv6Address]:
    """Return addresses that are not public, none of which stands for an IPv4 address."""
    drawn = [_drawn(random, PRIVATE_V6[place % len(PRIVATE_V6)]) for place in range(count)]
    return [*KNOWN_V6, *(address for address in drawn if isinstance(address, IPv6Address))]


def public_v4(random: Random, count: int) -> list[IPv4Address]:
    """Return public addresses, by what Python's own tables say of them."""
    drawn = (IPv4Address(random.getrandbits(32)) for _ in range(count * 4))
    deprecated, azure = ip_network("192.88.99.0/24"), IPv4Address("168.63.129.16")
    return [one for one in drawn if one.is_global and not one.is_multicast and one not in deprecated and one != azure]


def public_v6(random: Random, count: int) -> list[IPv6Address]:
    """Return public addresses of regions that registries give out."""
    regions = ["2001:200::/23", "2400::/12", "2600::/12", "2606:4700::/32", "2800::/12", "2a00::/12", "2c00::/12"]
    drawn = [_drawn(random, ip_network(regions[place % len(regions)])) for place in range(count)]
    return [address for address in drawn if isinstance(address, IPv6Address)]


def hosts_of(address: IPv4Address) -> dict[str, list[str]]:
    """Return how URLs can spell an IPv4 address as their host, by class."""
    number = int(address)
    first, second, third, fourth = address.packed
    high, low = number >> 16, number & 0xFFFF
    pair = f"{high:x}:{low:x}"
    return {
        "plain": [str(address), f"{address}."],
        "decimal": [str(number), f"{number}."],
        "octal": [
            ".".join(f"0{part:o}" for part in address.packed),
            ".".join(f"{part:08o}" for part in address.packed),
            f"0{number:o}",
            f"0{first:o}.{second}.{third}.{fourth}",
        ],
        "hexadecimal": [
            ".".join(f"0x{part:x}" for part in address.packed),
            ".".join(f"0X{part:04X}" for part in address.packed),
            f"0x{number:x}",
            f"0x{number:016X}",
            f"{first}.{second}.{third}.0x{fourth:x}",
        ],
        "short": [
            f"{first}.{number & 0xFFFFFF}",
            f"{first}.{second}.{low}",
            f"0x{first:x}.{number & 0xFFFFFF}",
            f"{first}.0{second:o}.0x{low:x}",
        ],
        "mapped": [
            f"[::ffff:{address}]",
            f"[::FFFF:{pair}]",
            f"[0:0:0:0:0:ffff:{pair}]",
            f"[0000:0000:0000:0000:0000:ffff:{high:04x}:{low:04x}]",
        ],
        "compatible": [f"[::{address}]", f"[::ffff:0:{address}]"],
        "NAT64": [f"[64:ff9b::{address}]", f"[64:ff9b:0:0:0:0:{pair}]", f"[64:ff9b:1::{address}]"],
        "6to4": [f"[2002:{pair}::]", f"[2002:{pair}::1]", f"[2002:{pair}:0:0:5efe:1:1]"],
        "Teredo": [f"[2001:0:4136:e378:8000:63bf:{high ^ 0xFFFF:x}:{low ^ 0xFFFF:x}]", f"[2001:0:{pair}::1]"],
        "percent-encoded": [
            "".join(f"%{ord(sign):02x}" for sign in str(address)),
            str(address).replace(".", "%2E"),
            str(address).translate(_FULL_WIDTH).encode().hex("%").join(("%", "")),
        ],
        "IDN": [
            str(address).translate(_FULL_WIDTH),
            str(address).translate(_CIRCLED),
            str(address).replace(".", "。"),
            str(address).replace(".", "｡"),
            f"0x{number:x}".translate(_FULL_WIDTH),
            "\u00ad".join(str(address)),
        ],
    }


def urls_of(address: IPv4Address) -> Iterator[tuple[str, str]]:
    """Yield pairs of class and URL for an IPv4 address that is not public."""
    for kind, hosts in hosts_of(address).items():
        for host in hosts:
            yield kind, f"http://{host}/latest"
        yield kind, f"https://{hosts[-1]}:8443/?q=1#part"
    for url in (
        f"http://example.com@{address}/",
        f"http://example.com:80@{address}/",
        f"http://user:password@{int(address)}",
        f"https://example.com%40x@{address}/",
        f"http://@{address}/",
        f"http://{address}@example.com/",
        "http://user@example.com/",
    ):
        yield "userinfo", url
    for url in (
        f"http:\\\\{address}\\",
        f"http:/{address}",
        f"http:{address}",
        f"http:////{address}/",
        f"http://{address}\\@example.com/",
        f"http://{address}?@example.com/",
        f"http://{address}#@example.com/",
        f"\t http://{address}/",
        f"ht\ntp://{str(address).replace('.', chr(10) + '.')}/",
        f"HTTP://{address}:/",
    ):
        yield "slashes and blanks", url


def urls_of_v6(address: IPv6Address) -> Iterator[tuple[str, str]]:
    """Yield pairs of class and URL for an IPv6 address that is not public."""
    for host in (str(address), address.exploded, address.exploded.upper()):
        yield "IPv6", f"http://[{host}]/"
        yield "IPv6", f"https://[{host}]:8443/"
    yield "zone", f"http://[{address}%25eth0]/"
    yield "zone", f"http://[{address}%eth0]/"


def urls_of_names() -> Iterator[tuple[str, str]]:
    """Yield pairs of class and URL for names of this machine, of local networks and of metadata services."""
    for name in LOCAL_NAMES:
        for spelled in (
            name,
            name.upper(),
            f"{name}.",
            name.translate(_FULL_WIDTH),
            name.translate(_CIRCLED_LETTERS),
            name.replace(".", "。"),
            "\u00ad".join(name),
            "".join(f"%{ord(sign):02x}" for sign in name),
        ):
            yield "local name", f"http://{spelled}/"


PUBLIC_URLS: Final = {
    "http://example.com": "http://example.com/",
    "HTTPS://EXAMPLE.COM:443/Path": "https://example.com/Path",
    "http://example.com:80": "http://example.com/",
    "http://example.com.:8080/": "http://example.com:8080/",
    "https://example.com:/": "https://example.com/",
    "https://münchen.de/straße?q=ä#teil": "https://xn--mnchen-3ya.de/stra%C3%9Fe?q=%C3%A4",
    "https://faß.de/": "https://xn--fa-hia.de/",
    "https://日本語。jp/": "https://xn--wgv71a119e.jp/",
    "https://президент.рф/": "https://xn--d1abbgf6aiiy.xn--p1ai/",
    "https://i❤.ws/": "https://xn--i-7iq.ws/",
    "https://ＥＸＡＭＰＬＥ．ｃｏｍ/": "https://example.com/",
    "https://xn--mnchen-3ya.de/": "https://xn--mnchen-3ya.de/",
    "https://a_b.example.com/": "https://a_b.example.com/",
    "https://-a-.tumblr.com/": "https://-a-.tumblr.com/",
    "https://r3---sn-4g5.googlevideo.com/": "https://r3---sn-4g5.googlevideo.com/",
    "https://0x7f.example.com/": "https://0x7f.example.com/",
    "https://127.0.0.1.example.com/": "https://127.0.0.1.example.com/",
    "https://1.2.3.com/": "https://1.2.3.com/",
    "https://10.com/": "https://10.com/",
    "https://localhost.example.com/": "https://localhost.example.com/",
    "https://local.example.com/": "https://local.example.com/",
    "https://internal-docs.com/": "https://internal-docs.com/",
    "https://mylocal.network/": "https://mylocal.network/",
    "https://home.cern/": "https://home.cern/",
    "https://medium.com/@writer/a:b": "https://medium.com/@writer/a:b",
    "https://example.com/?next=http://u:p@127.0.0.1/": "https://example.com/?next=http://u:p@127.0.0.1/",
    "https://example.com#@127.0.0.1/": "https://example.com/",
    "https://example.com?@127.0.0.1/": "https://example.com/?@127.0.0.1/",
    "https://example.com/a b/%7Ec/%zz": "https://example.com/a%20b/%7Ec/%zz",
    "https://example.com//a//b": "https://example.com//a//b",
    "https:example.com/a": "https://example.com/a",
    "https:\\\\example.com\\a?b\\c": "https://example.com/a?b%5Cc",
    " https://exam\nple.com/\t": "https://example.com/",
    "http://134744072/": "http://8.8.8.8/",
    "http://8.8.2056/": "http://8.8.8.8/",
    "http://[::ffff:8.8.8.8]/": "http://[::ffff:808:808]/",
    "http://[64:ff9b::8.8.8.8]/": "http://[64:ff9b::808:808]/",
    "https://[2606:4700:4700:0::1111]:8443/": "https://[2606:4700:4700::1111]:8443/",
}
"""Addresses that nobody may refuse, and their normal form."""

PUBLIC_PORTS: Final = (
    80,
    443,
    1024,
    1080,
    3000,
    4000,
    5000,
    7001,
    8000,
    8008,
    8080,
    8081,
    8443,
    8888,
    9000,
    9443,
    65535,
)


def in_a_header(url: str) -> str:
    """Return a URL as a header can hold it."""
    return "".join(sign if " " <= sign <= "~" else quote(sign) for sign in url)


def public_urls(random: Random, count: int) -> Iterator[tuple[str, str]]:
    """Yield pairs of class and URL that must pass: public addresses and names on the ports that the web uses."""
    for url in PUBLIC_URLS:
        yield "names and spellings", url
    for v4 in public_v4(random, count):
        for host in hosts_of(v4).items():
            if host[0] not in ("compatible", "Teredo"):
                usable = [each for each in host[1] if not each.startswith("[64:ff9b:1:")]
                yield "public IPv4", f"http://{random.choice(usable)}:{random.choice(PUBLIC_PORTS)}/"
    for v6 in public_v6(random, count):
        yield "public IPv6", f"https://[{v6}]:{random.choice(PUBLIC_PORTS)}/"
    for name in ("example.com", "bücher.example", "例え.テスト", "a.b.c.d.e.museum", "xn--80ak6aa92e.com"):
        for port in PUBLIC_PORTS:
            yield "names and ports", f"https://{name}:{port}/index.html"


def _drawn(random: Random, network: IPv4Network | IPv6Network) -> IPv4Address | IPv6Address:
    return network.network_address + random.randrange(network.num_addresses)
