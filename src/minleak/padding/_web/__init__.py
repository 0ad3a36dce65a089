"""Web: middleware that pads responses and sends events in frames, for ASGI and WSGI.

`fillers` add bytes that a reader ignores, `responses` pads a response, `events` turns server-sent events into frames,
and `asgi` and `wsgi` are the middleware.
"""
