#!/usr/bin/env bash
# Tutorial 4's storage: guests and users with the credentials of an identity pool, and twelve pictures by presigned URLs.
set -euo pipefail
python3 "$(dirname "$0")/pictures.py" "${SYNCLINE_URL%/graphql}"
