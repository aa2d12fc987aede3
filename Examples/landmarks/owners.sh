#!/usr/bin/env bash
# Two users of the landmarks: what each may read and change, by HTTP and live.
set -euo pipefail
python3 "$(dirname "$0")/owners.py" "${SYNCLINE_URL%/graphql}"
