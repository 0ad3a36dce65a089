"""profiles: tables that are ready to use, for backups, messages and DNS.

>>> from minleak.padding import profiles
>>> profiles.backup().table.pad(1_000_000)
1023079
"""

from minleak._padding.profiles import Profile, backup, dns, messages

__all__ = ["Profile", "backup", "dns", "messages"]
