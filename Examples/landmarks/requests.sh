# Tutorials 4 and 5: a user of the configuration signs in, lists landmarks and signs out.
set -euo pipefail
python3 "$(dirname "$0")/landmarks.py" "${SYNCLINE_URL%/graphql}" ada 'Passw0rd!'
