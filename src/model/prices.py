"""The price of a call, from the table in the package `genai-prices`; nothing is downloaded."""

from datetime import datetime

from .address import is_loopback


def price(base_url: str, model: str, prompt_tokens: int, completion_tokens: int, at: datetime) -> float | None:
    """Return the price of a call in US dollars as of `at`; None if the table has no price.

    The table has none for a server on this machine and is then not imported (0.1 s, 6 MB). Cached prompt tokens count
    as uncached, so the price is an upper bound. The first call imports the table and blocks: make it off the event
    loop.
    """
    if is_loopback(base_url):
        return None
    import genai_prices

    usage = genai_prices.Usage(input_tokens=prompt_tokens, output_tokens=completion_tokens)
    try:
        found = genai_prices.calc_price(usage, model, provider_api_url=base_url, genai_request_timestamp=at)
    except LookupError:
        return None
    return float(found.total_price)
