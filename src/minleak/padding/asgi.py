"""asgi: middleware that pads responses and sends server-sent events in frames."""

from minleak.padding._web.asgi import FrameEvents, PadResponses

__all__ = ["FrameEvents", "PadResponses"]
