#!/usr/bin/env bash
# Chat in version 2 of the transformer: the same requests as in version 1, and the same answers.
source "$(dirname "$0")/../chat/requests.sh"
