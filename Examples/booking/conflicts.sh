#!/usr/bin/env bash
# A function decides the conflicts of rooms: decide.py. The server runs with --config conflicts.json.
source "$(dirname "$0")/../graphql.sh"

fields='price city _version _deleted'
create="mutation (\$input: CreateRoomInput!) { createRoom(input: \$input) { $fields } }"
update="mutation (\$input: UpdateRoomInput!) { updateRoom(input: \$input) { $fields } }"
delete="mutation (\$input: DeleteRoomInput!) { deleteRoom(input: \$input) { $fields } }"

echo '# a room'
graphql "$create" '{"input": {"id": "r1", "description": "Loft", "city": "Paris", "price": 120, "imageKey": "loft"}}'
echo '# two devices change version 1: the phone is first'
graphql "$update" '{"input": {"id": "r1", "price": 110, "_version": 1}}'
echo '# the tablet knows version 1 too: the function takes its city, and keeps the lower price'
graphql "$update" '{"input": {"id": "r1", "price": 130, "city": "Lyon", "_version": 1}}'
echo '# and does not let it delete what it has not seen'
graphql "$delete" '{"input": {"id": "r1", "_version": 2}}'
