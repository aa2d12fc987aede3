#!/usr/bin/env bash
# The chat with rules: ada and ben have a thread, and eve is no member of it; see syncline.json.
set -euo pipefail
python3 "$(dirname "$0")/chat.py" "${SYNCLINE_URL%/graphql}"
