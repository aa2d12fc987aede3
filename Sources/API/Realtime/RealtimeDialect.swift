/// Which of the three protocols a client speaks.
enum RealtimeDialect: Sendable, Hashable {
    /// AppSync's own, on the subprotocol `graphql-ws` (reference: appsync-protocol, "Realtime connection").
    case appSync
    /// Apollo's older one on the same subprotocol (subscriptions-transport-ws, PROTOCOL.md).
    case apollo
    /// `graphql-transport-ws` (graphql-ws, PROTOCOL.md).
    case transport
}
