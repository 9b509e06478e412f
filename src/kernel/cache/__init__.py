"""What all runs share: pages, answers and conversions as they came."""

from .cache import DAY, MOST, Cache, CacheEntry, Share, cache_at, cache_of

__all__ = ["DAY", "MOST", "Cache", "CacheEntry", "Share", "cache_at", "cache_of"]
