"""wsgi: middleware that pads responses."""

from minleak._web.wsgi import PadResponses

__all__ = ["PadResponses"]
