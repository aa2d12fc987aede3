#!/usr/bin/env bash
# Cash flow on two devices: one account, and conditions on its balance. The server runs with --datastore.
source "$(dirname "$0")/../graphql.sh"

fields='id balance _version _deleted'
create="mutation (\$input: CreateAccountInput!) { createAccount(input: \$input) { $fields } }"
update="mutation (\$input: UpdateAccountInput!, \$condition: ModelAccountConditionInput) {
    updateAccount(input: \$input, condition: \$condition) { $fields } }"

echo '# both devices create the account on their first run; the second is refused'
graphql "$create" '{"input": {"id": "currentUserId", "balance": 100}}'
graphql "$create" '{"input": {"id": "currentUserId", "balance": 0}}'
echo '# the phone pays, if the balance still is what it shows'
graphql "$update" '{"input": {"id": "currentUserId", "balance": 80.5, "_version": 1}, "condition": {"balance": {"eq": 100}}}'
echo '# the tablet shows the old balance: its condition is not met, and the error shows the account'
graphql "$update" '{"input": {"id": "currentUserId", "balance": 70, "_version": 1}, "condition": {"balance": {"eq": 100}}}'
echo '# which it takes over, and pays from there'
graphql "$update" '{"input": {"id": "currentUserId", "balance": 50.5, "_version": 2}, "condition": {"balance": {"eq": 80.5}}}'
echo '# both devices have this in the end'
graphql '{ syncAccounts { items { id balance _version _deleted } nextToken } }'
