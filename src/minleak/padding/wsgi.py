"""wsgi: middleware that pads responses."""

from minleak.padding._web.wsgi import PadResponses

__all__ = ["PadResponses"]
