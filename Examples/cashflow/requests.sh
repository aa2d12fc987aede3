#!/usr/bin/env bash
# Cash flow: one Account with a fixed id and an exact Float balance.
source "$(dirname "$0")/../graphql.sh"

echo '# first run: nothing is there'
graphql 'query { getAccount(id: "currentUserId") { id balance } }'
echo '# so it is created'
graphql 'mutation ($input: CreateAccountInput!) { createAccount(input: $input) { id balance } }' \
    '{"input": {"id": "currentUserId", "balance": 1024.1}}'
echo '# second run: it is found; creating it again is refused and loses nothing'
graphql 'query { getAccount(id: "currentUserId") { id balance __typename } }'
graphql 'mutation { createAccount(input: {id: "currentUserId", balance: 0}) { id } }'
echo '# a balance is exact as a double'
graphql 'mutation { updateAccount(input: {id: "currentUserId", balance: 0.30000000000000004}) { balance } }'
graphql 'mutation { updateAccount(input: {id: "currentUserId", balance: 100}) { balance } }'
echo '# updates can carry a condition'
graphql 'mutation { updateAccount(input: {id: "currentUserId", balance: 1}, condition: {balance: {gt: 500}}) { balance } }'
graphql 'query { listAccounts { items { id balance } nextToken } }'
