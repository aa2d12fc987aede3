/// The bounds of analytics. A request that exceeds one is refused, except that types and users beyond `eventTypesPerAppMax` and
/// `usersPerAppMax` are counted together, that a page of an export has at most `exportedPerPageMax` events, and that the bounds
/// of what is stored (`endpointsPerAppMax`, `endpointsBytesMax`, `eventsBytesMax` and those in days) say what is removed.
public struct AnalyticsLimits: Sendable, Hashable {
    /// Apps whose events are accepted.
    public var appsMax = 100
    /// Bytes of a request's body (Amazon Pinpoint, "Quotas": 4 MB).
    public var requestBytesMax = 4 << 20
    /// Events of a `PutEvents` (Amazon Pinpoint, "Quotas": 100).
    public var eventsPerBatchMax = 100
    /// Endpoints of a `PutEvents` or `UpdateEndpointsBatch` (Amazon Pinpoint, "Quotas": 100).
    public var endpointsPerBatchMax = 100
    /// Attributes of an event, and its metrics (Amazon Pinpoint, "Quotas": 40).
    public var attributesPerEventMax = 40
    /// Characters of the name of an attribute or a metric of an event.
    public var attributeNameCharactersMax = 50
    /// Characters of an attribute's value.
    public var attributeValueCharactersMax = 1_000
    /// Characters of an event's type.
    public var eventTypeCharactersMax = 256
    /// Bytes of the id of an event, an endpoint or a user.
    public var idBytesMax = 256
    /// Bytes of an event as it was sent.
    public var eventBytesMax = 256 << 10
    /// Bytes of an endpoint as it is stored. As it is sent it may have twice as many, for white space and escapes.
    public var endpointBytesMax = 64 << 10
    /// Members of the `Attributes` of an endpoint, of its `Metrics` and of its `UserAttributes` (Amazon Pinpoint, "Quotas":
    /// 250).
    public var attributesPerEndpointMax = 250
    /// Values of an attribute of an endpoint (Amazon Pinpoint, "Quotas": 50).
    public var valuesPerAttributeMax = 50
    /// Bytes of all endpoints of a request: those of the documents before and after their updates, and half of what is sent.
    public var endpointsPerRequestBytesMax = 1 << 20
    /// Bytes of documents that are merged in a transaction, which all writes wait for. Larger ones are merged before it.
    public var mergedInTransactionBytesMax = 16 << 10
    /// Types of the events of an app (Amazon Pinpoint, "Quotas": 1,500). Events of further types are counted as one type,
    /// `_other`.
    public var eventTypesPerAppMax = 1_500
    /// Endpoints of an app. Beyond it the least recently used are removed.
    public var endpointsPerAppMax = 10_000_000
    /// Bytes of the endpoints of an app. Beyond it the least recently used are removed.
    public var endpointsBytesMax = 2 << 30
    /// Users of an app. Further users are counted as one user, `_other`.
    public var usersPerAppMax = 10_000_000
    /// Days for which events are stored after their timestamp. Daily counts are kept.
    public var retentionDays = 90
    /// Bytes of all stored events, including their indexes. Beyond it the events of the oldest days are removed; daily counts
    /// are kept.
    public var eventsBytesMax = 10 << 30
    /// Maximum age of an event on arrival, in days. An older timestamp means that the clock of the device is wrong, and each such
    /// day would add daily counts that are kept forever.
    public var acceptedDays: Int { max(retentionDays, activityDays, 3_650) }
    /// Days for which the active users of a day are stored. Reports of retention and of distinct users of several days need
    /// them. The number of users of each day is kept.
    public var activityDays = 400
    /// Events or endpoints that are removed in one transaction, with the searches for them; other writes wait for it.
    public var removedPerTransactionMax = 200
    /// Concurrent operations, with those that wait for their turn.
    public var operationsMax = 256
    /// Of these, operations that are carried out at one time, half of them for one network: enough to share a commit. The others
    /// wait, and the next one is of the network with the fewest.
    public var operationsAtOnceMax = 16
    /// Bytes of the bodies of concurrent operations, from their first byte on; one network may have half of them.
    public var operationBytesMax = 64 << 20
    /// Days of a report.
    public var reportDaysMax = 3_660
    /// Rows of a report, and distinct values of an attribute in it.
    public var reportRowsMax = 50_000
    /// Users that a report may hold in memory.
    public var reportUsersMax = 10_000_000
    /// Steps of a funnel.
    public var funnelStepsMax = 8
    /// Events of a page of an export.
    public var exportedPerPageMax = 500

    /// The bounds that fit a small server.
    public init() {}
}
