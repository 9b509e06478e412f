"""Pages to text, through one guarded door: `fetcher.fetch` returns a `page.Page`, read over HTTP or in a browser."""
