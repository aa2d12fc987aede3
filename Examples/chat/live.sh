#!/usr/bin/env bash
# Chat, live: one listens to new messages, another writes them. In two terminals it is
#
#   Examples/listen.py 'subscription { onCreateMessage { id body author { username } } }'
#   curl … 'mutation { createMessage(…) { id body author { username } } }'
#
# An event carries what the mutation selected, as AppSync's do; so both ask for the same fields.
source "$(dirname "$0")/../graphql.sh"

ready=$(mktemp -u)
heard=$(mktemp)
EVENTS=2 READY=$ready python3 "$(dirname "$0")/../listen.py" \
    'subscription { onCreateMessage { id body author { username } } }' >"$heard" &
listener=$!
trap 'kill $listener 2>/dev/null || true; rm -f "$ready" "$heard"' EXIT
for _ in $(seq 1 100); do
    [ -e "$ready" ] && break
    sleep 0.1
done

echo '# someone writes'
graphql 'mutation { createUser(input: {id: "ada", sub: "s-1", username: "Ada"}) { id } }'
graphql 'mutation { createThread(input: {id: "t1", name: "Groceries", location: "SW1A"}) { id } }'
message='mutation ($input: CreateMessageInput!) { createMessage(input: $input) { id body author { username } } }'
graphql "$message" '{"input": {"id": "m1", "body": "Milk is out.", "messageAuthorId": "ada", "messageThreadId": "t1"}}'
graphql "$message" '{"input": {"id": "m2", "body": "Who goes?", "messageAuthorId": "ada", "messageThreadId": "t1"}}'
echo '# a message that is refused reaches nobody'
graphql "$message" '{"input": {"id": "m2", "body": "Twice", "messageAuthorId": "ada", "messageThreadId": "t1"}}'
wait $listener
echo '# what the listener saw'
grep -v '^< {"type":"ka"}$' "$heard"
