/// An operation of Pinpoint's API, with the id in its path.
public enum AnalyticsOperation: Sendable, Hashable {
    /// `POST /v1/apps/{app}/events`
    case putEvents
    /// `PUT /v1/apps/{app}/endpoints/{id}`
    case updateEndpoint(String)
    /// `PUT /v1/apps/{app}/endpoints`
    case updateEndpointsBatch
    /// `GET /v1/apps/{app}/endpoints/{id}`
    case getEndpoint(String)
    /// `DELETE /v1/apps/{app}/endpoints/{id}`
    case deleteEndpoint(String)
    /// `GET /v1/apps/{app}/endpoints/{id}/inappmessages`
    case getInAppMessages(String)
    /// `GET /v1/apps/{app}/users/{id}`
    case getUserEndpoints(String)
    /// `DELETE /v1/apps/{app}/users/{id}`
    case deleteUserEndpoints(String)

    /// Pinpoint's name of the operation.
    public var name: String {
        switch self {
        case .putEvents: "PutEvents"
        case .updateEndpoint: "UpdateEndpoint"
        case .updateEndpointsBatch: "UpdateEndpointsBatch"
        case .getEndpoint: "GetEndpoint"
        case .deleteEndpoint: "DeleteEndpoint"
        case .getInAppMessages: "GetInAppMessages"
        case .getUserEndpoints: "GetUserEndpoints"
        case .deleteUserEndpoints: "DeleteUserEndpoints"
        }
    }

    /// Whether credentials of an identity pool, including those of guests, allow it: the operations in the roles of an Amplify
    /// project, and reading an endpoint whose id the app knows.
    public var isForApps: Bool {
        switch self {
        case .putEvents, .updateEndpoint, .getEndpoint, .getInAppMessages: true
        case .updateEndpointsBatch, .deleteEndpoint, .getUserEndpoints, .deleteUserEndpoints: false
        }
    }

    /// Whether it only reads.
    public var isRead: Bool {
        switch self {
        case .getEndpoint, .getInAppMessages, .getUserEndpoints: true
        case .putEvents, .updateEndpoint, .updateEndpointsBatch, .deleteEndpoint, .deleteUserEndpoints: false
        }
    }
}
