"""Who a caller is, as far as an address tells."""

import ipaddress


def client_of(host: str) -> str:
    """Return the address that shares count for: an IPv6 caller is its whole network of 64 bits, which is one site's."""
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return host
    if isinstance(address, ipaddress.IPv4Address):
        return str(address)
    return str(address.ipv4_mapped or ipaddress.ip_network((address, 64), strict=False))
