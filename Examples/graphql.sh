# Shared by the examples: graphql QUERY [VARIABLES] sends one request and prints the answer on one line.
SYNCLINE_URL=${SYNCLINE_URL:-http://127.0.0.1:20002/graphql}
SYNCLINE_API_KEY=${SYNCLINE_API_KEY:-da2-fakeApiId123456}

graphql() {
    local query=${1//\\/\\\\}
    query=${query//\"/\\\"}
    query=${query//$'\n'/ }
    curl --silent --show-error "$SYNCLINE_URL" \
        --header "x-api-key: $SYNCLINE_API_KEY" --header 'content-type: application/json' \
        --data "{\"query\": \"$query\", \"variables\": ${2:-null}}"
    echo
}
