#!/usr/bin/env bash
# Room booking on two devices that are not always on line. The server runs with --datastore.
source "$(dirname "$0")/../graphql.sh"

fields='id price city _version _deleted'
sync="query (\$since: AWSTimestamp) { syncRooms(lastSync: \$since) { items { $fields } nextToken startedAt } }"
create="mutation (\$input: CreateRoomInput!) { createRoom(input: \$input) { $fields } }"
update="mutation (\$input: UpdateRoomInput!) { updateRoom(input: \$input) { $fields } }"
delete="mutation (\$input: DeleteRoomInput!) { deleteRoom(input: \$input) { $fields } }"
started_at() { sed -E 's/.*"startedAt":([0-9]+).*/\1/' <<<"$1"; }

echo '# the tablet syncs: everything there is, and when to ask from next time'
page=$(graphql "$sync")
echo "$page"
since=$(started_at "$page")
echo '# then it goes off line, and the phone creates a room'
graphql "$create" '{"input": {"id": "r1", "description": "Loft", "city": "Paris", "price": 120, "imageKey": "loft"}}'
echo '# the tablet is back, and asks for what has changed'
page=$(graphql "$sync" "{\"since\": $since}")
echo "$page"
since=$(started_at "$page")
echo '# both change the price of version 1; the phone is first'
graphql "$update" '{"input": {"id": "r1", "price": 130, "_version": 1}}'
echo '# the change of the tablet is merged: what is stored stays'
graphql "$update" '{"input": {"id": "r1", "price": 110, "_version": 1}}'
echo '# now the tablet knows the version, and its change counts'
graphql "$update" '{"input": {"id": "r1", "price": 110, "_version": 3}}'
echo '# the phone deletes what it takes for version 2: a conflict, which shows the stored item'
graphql "$delete" '{"input": {"id": "r1", "_version": 2}}'
echo '# again, with the version that the error showed'
graphql "$delete" '{"input": {"id": "r1", "_version": 4}}'
echo '# the tablet receives the deletion with its next sync'
graphql "$sync" "{\"since\": $since}"
