"""Web: middleware that sends padded responses and framed events, for ASGI and WSGI.

`fillers` put bytes into a body that its reader ignores, `responses` decides what a response is padded by, `events`
turns server-sent events into frames, and `asgi` and `wsgi` are the middleware.
"""
