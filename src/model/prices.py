"""What a call costs, from the price table that the `genai-prices` package carries; nothing is fetched."""

from datetime import datetime

from .address import is_loopback


def price(base_url: str, model: str, prompt_tokens: int, completion_tokens: int, at: datetime) -> float | None:
    """Return the price of a call in US dollars as of `at`, None when the table knows no price.

    It knows none of a server on one's own machine, for which it is not even imported (0.1 s, 6 MB). Cached prompt
    tokens count as fresh ones, so the figure is an upper bound. The first call imports the table: make it off the event
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
