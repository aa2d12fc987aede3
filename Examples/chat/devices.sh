#!/usr/bin/env bash
# Chat on two devices: a reply that was lost, and a sync in pages. The server runs with --datastore.
source "$(dirname "$0")/../graphql.sh"

create='mutation ($input: CreateMessageInput!) { createMessage(input: $input) { id body author { id _deleted } _version } }'
sync='query ($limit: Int, $nextToken: String, $since: AWSTimestamp) {
    syncMessages(limit: $limit, nextToken: $nextToken, lastSync: $since) {
        items { id body author { id _deleted } _version _deleted } nextToken startedAt } }'
value() { sed -E "s/.*\"$1\":\"?([^\",}]*).*/\1/" <<<"$2"; }

echo '# someone and a thread to write to'
graphql 'mutation { createUser(input: {id: "ada", sub: "s-1", username: "Ada"}) { id _version } }'
graphql 'mutation { createThread(input: {id: "t1", name: "Groceries", location: "SW1A"}) { id _version } }'
echo '# the phone creates a message, and does not hear the answer'
message='{"input": {"id": "m1", "body": "Milk is out.", "messageAuthorId": "ada", "messageThreadId": "t1"}}'
graphql "$create" "$message"
echo '# so it sends it again: refused, and stored once'
graphql "$create" "$message"
graphql "$create" '{"input": {"id": "m2", "body": "Who goes?", "messageAuthorId": "ada", "messageThreadId": "t1"}}'
echo '# the tablet syncs in pages; all pages of a sync have the time of the first'
page=$(graphql "$sync" '{"limit": 1}')
echo "$page"
token=$(value nextToken "$page")
since=$(value startedAt "$page")
echo '# between the pages the phone changes what the tablet has already'
graphql 'mutation { updateMessage(input: {id: "m1", body: "Milk and bread are out.", _version: 1}) { id _version } }'
page=$(graphql "$sync" "{\"limit\": 10, \"nextToken\": \"$token\"}")
echo "$page"
[ "$(value startedAt "$page")" = "$since" ] && echo '(the same time)'
echo '# from that time on it has missed one change'
graphql "$sync" "{\"since\": $since}"
