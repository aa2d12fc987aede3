#!/usr/bin/env bash
# Tutorial 3: the chat for users who sign in; see users.json.
set -euo pipefail
python3 "$(dirname "$0")/users.py" "${SYNCLINE_URL%/graphql}"
