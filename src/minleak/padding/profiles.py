"""profiles: what is ready to use: tables for backups, messages and DNS, frames for answers of language models.

>>> from minleak.padding import profiles
>>> profiles.backup().table.pad(1_000_000)
1023079
"""

from minleak.padding._profiles import Profile, backup, dns, messages
from minleak.padding._streams.profiles import llm_sse

__all__ = ["Profile", "backup", "dns", "llm_sse", "messages"]
