#!/bin/sh
# The set to show for a secret, with curl: client.sh URL FILE, where FILE (mode 0600) holds one line,
# "Authorization: Bearer ...", so that the token is not in the process list. The request comes by stdin.
# At a socket: curl --unix-socket /run/minleak/words.sock http://localhost/draw, and no token.
exec curl --silent --show-error --fail-with-body --max-time 10 \
  --header "@$2" --header "Content-Type: application/json" --data-binary @- "$1/draw"
