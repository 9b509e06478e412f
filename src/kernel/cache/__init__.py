"""The cache that all runs share: pages, answers and conversions."""

from .cache import DAY, MOST, Cache, CacheEntry, Share, cache_at, cache_of

__all__ = ["DAY", "MOST", "Cache", "CacheEntry", "Share", "cache_at", "cache_of"]
