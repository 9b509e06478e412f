"""The service: `server.server_of` makes the HTTP server, `app` what it answers."""
