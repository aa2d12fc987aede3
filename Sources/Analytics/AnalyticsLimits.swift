/// The bounds of analytics. What passes one is refused, or makes room by the rules that docs/analytics.md has.
public struct AnalyticsLimits: Sendable, Hashable {
    /// Apps whose events are taken.
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
    /// Bytes of an endpoint as it is stored.
    public var endpointBytesMax = 64 << 10
    /// Types of the events of an app (Amazon Pinpoint, "Quotas": 1,500).
    public var eventTypesPerAppMax = 1_500
    /// Endpoints of an app.
    public var endpointsPerAppMax = 10_000_000
    /// Users of an app, who are counted.
    public var usersPerAppMax = 10_000_000
    /// Days for which events are kept, by their own time. Daily counts stay.
    public var retentionDays = 90
    /// Bytes of all events that are kept, with what finds them. Past it the oldest days of events are removed; daily counts
    /// stay.
    public var eventsBytesMax = 10 << 30
    /// Days for which it is kept who was active on a day, for numbers of users of more than one day and for retention. The
    /// number of users of each day stays.
    public var activityDays = 400
    /// Events that are removed in one transaction, which other writes wait for.
    public var removedPerTransactionMax = 500
    /// Operations under way at one time.
    public var operationsMax = 256
    /// Bytes of the bodies of operations under way.
    public var operationBytesMax = 64 << 20
    /// Days of a report.
    public var reportDaysMax = 3_660
    /// Rows of a report, and values of an attribute that one can have.
    public var reportRowsMax = 50_000
    /// Users that a report may have in memory.
    public var reportUsersMax = 10_000_000
    /// Steps of a funnel.
    public var funnelStepsMax = 8
    /// Events of a page of an export.
    public var exportedPerPageMax = 500

    /// The bounds that fit a small server.
    public init() {}
}
