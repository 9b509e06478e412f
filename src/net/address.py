"""The kinds of IP addresses that are not public."""

from ipaddress import IPv4Address, IPv6Address, ip_network
from typing import Final

from ..kernel.notice import Notice

IPAddress = IPv4Address | IPv6Address

_KINDS: Final = {
    Notice("cloud_metadata"): (
        "168.63.129.16/32",  # Azure's, in public space
        "169.254.169.254/32",
        "169.254.170.2/32",
        "100.100.100.200/32",
        "192.0.0.192/32",
        "fd00:ec2::254/128",
        "fd20:ce::254/128",
    ),
    Notice("loopback_address"): ("127.0.0.0/8", "::1/128"),
    Notice("unspecified_address"): ("0.0.0.0/8", "::/128"),
    Notice("private_address"): ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7", "fec0::/10"),
    Notice("link_local_address"): ("169.254.0.0/16", "fe80::/10"),
    Notice("shared_address"): ("100.64.0.0/10",),
    Notice("multicast_address"): ("224.0.0.0/4", "ff00::/8"),
    Notice("documentation_address"): (
        "192.0.2.0/24",
        "198.51.100.0/24",
        "203.0.113.0/24",
        "2001:db8::/32",
        "3fff::/20",
    ),
    Notice("benchmark_address"): ("198.18.0.0/15", "2001:2::/48"),
    Notice("tunnel_address"): ("192.88.99.0/24", "2001::/32", "64:ff9b:1::/48"),
    Notice("reserved_address"): ("192.0.0.0/24", "240.0.0.0/4", "2001::/23"),
}
"""Networks that are not public, by IANA's two special-purpose address registries; the narrowest come first."""

_NETWORKS: Final = {ip_network(text): kind for kind, texts in _KINDS.items() for text in texts}
_UNICAST: Final = ip_network("2000::/3")
_NAT64: Final = ip_network("64:ff9b::/96")
_SIX_TO_FOUR: Final = ip_network("2002::/16")


def reached(address: IPAddress) -> IPAddress:
    """Return the IPv4 address in an IPv4-mapped, NAT64 (RFC 6052) or 6to4 (RFC 3056) address; others unchanged."""
    if isinstance(address, IPv4Address):
        return address
    if address.ipv4_mapped:
        return address.ipv4_mapped
    if address in _NAT64:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    if address in _SIX_TO_FOUR:
        return IPv4Address(int(address) >> 80 & 0xFFFFFFFF)
    return address


def kind_of(address: IPAddress) -> Notice | None:
    """Return the kind of an address that is not public, such as "a loopback address"; None for a public one."""
    end = reached(address)
    for network, kind in _NETWORKS.items():
        if end in network:
            return kind
    if isinstance(end, IPv6Address) and end not in _UNICAST:
        return Notice("reserved_address")
    return None
