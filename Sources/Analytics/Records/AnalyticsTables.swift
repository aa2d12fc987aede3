public import Tables

/// The tables of analytics. Their names have a dot, which no name of GraphQL has.
///
/// Rows of events and of sets refer to endpoints, event types and users by numbers instead of their long ids. The numbers come from
/// one sequence for all apps.
public enum AnalyticsTables {
    /// What the names begin with.
    public static let namePrefix = "Analytics."

    /// All tables, to be brought to the store beside those of a schema.
    public static let all: [Table] = [
        total, app, type, endpoint, user, userEndpoint, event, day, dayType, dayUser, deletion, typeDeletion,
    ]

    /// An app, and what is counted of it.
    enum App { static let (id, number, types, endpoints, users, endpointBytes) = (0, 1, 2, 3, 4, 5) }
    static let app = table(
        "App", ["id", "number", "types", "endpoints", "users", "endpointBytes"], texts: ["id"], key: ("id", nil))

    /// The one row that all apps share: the number that was given last, and the bytes of all events that are kept.
    enum Total {
        static let (id, last, bytes) = (0, 1, 2)
        static let key: [Value] = [.integer(0)]
    }
    static let total = table("Total", ["id", "last", "bytes"], key: ("id", nil))

    /// A type of an app's events.
    enum EventType { static let (app, name, number) = (0, 1, 2) }
    static let type = table("EventType", ["app", "name", "number"], texts: ["name"], key: ("app", "name"))

    /// An endpoint. A deleted endpoint keeps its row without a document, because its events refer to its number. `userID` is the
    /// user in the document, `user` the number of the user of its last events. `modified` is the time of its last change or, with a
    /// resolution of a day, of its last use. `bytes` is its part of the `endpointBytes` of its app; it is absent in rows that were
    /// written before these were counted.
    enum Endpoint {
        static let (app, id, number, user, userID, document, created, modified, bytes) = (0, 1, 2, 3, 4, 5, 6, 7, 8)
        static let (byNumber, byUserID, byModified) = (0, 1, 2)
    }
    static let endpoint = table(
        "Endpoint", ["app", "id", "number", "user", "userID", "document", "created", "modified", "bytes"],
        texts: ["id", "userID", "document"], key: ("app", "id"),
        indexes: [("byNumber", "number", nil), ("byUserID", "userID", "app"), ("byModified", "app", "modified")])

    /// A user, and the first day of activity, as `AppDay` has it.
    enum User {
        static let (app, id, number, firstDay) = (0, 1, 2, 3)
        static let (byNumber, byFirstDay) = (0, 1)
    }
    static let user = table(
        "User", ["app", "id", "number", "firstDay"], texts: ["id"], key: ("app", "id"),
        indexes: [("byNumber", "number", nil), ("byFirstDay", "firstDay", "number")])

    /// An endpoint that sent events of a user.
    static let userEndpoint = table("UserEndpoint", ["user", "endpoint"], key: ("user", "endpoint"))

    /// An event: its key is a number made of its id (`EventKey`), its time is the one by which it counts, and its content is
    /// JSON as it was sent.
    enum Event {
        static let (endpoint, key, id, type, time, user, bytes, content) = (0, 1, 2, 3, 4, 5, 6, 7)
        static let byTime = 0
    }
    static let event = table(
        "Event", ["endpoint", "key", "id", "type", "time", "user", "bytes", "content"], texts: ["id", "content"],
        key: ("endpoint", "key"), indexes: [("byTime", "type", "time")])

    /// A day of an app. `hasEvents` is 1 while events of the day are kept, `hasActivity` while it is kept who was active, and
    /// both are absent after that; `isEventsCut` and `isActivityCut` are 1 once some were removed for their age or number.
    enum Day {
        static let (app, day, events, users, newUsers) = (0, 1, 2, 3, 4)
        static let (hasEvents, isEventsCut, hasActivity, isActivityCut) = (5, 6, 7, 8)
        static let (byEvents, byActivity) = (0, 1)
    }
    static let day = table(
        "Day",
        ["app", "day", "events", "users", "newUsers", "hasEvents", "isEventsCut", "hasActivity", "isActivityCut"],
        key: ("app", "day"), indexes: [("byEvents", "hasEvents", "day"), ("byActivity", "hasActivity", "day")])

    /// The events of a type on a day, and what their sessions lasted.
    enum DayType { static let (day, type, events, durations, milliseconds) = (0, 1, 2, 3, 4) }
    static let dayType = table(
        "DayType", ["day", "type", "events", "durations", "milliseconds"], key: ("day", "type"))

    /// A user who was active on a day, with the platform and the app's version of the first events of that day.
    enum DayUser {
        static let (day, user, platform, version) = (0, 1, 2, 3)
        static let byUser = 0
    }
    static let dayUser = table(
        "DayUser", ["day", "user", "platform", "version"], texts: ["platform", "version"], key: ("day", "user"),
        indexes: [("byUser", "user", "day")])

    /// A user whose data is being removed.
    enum Deletion { static let (user, app) = (0, 1) }
    static let deletion = table("Deletion", ["user", "app"], key: ("user", nil))

    /// A type whose counts are being removed or, if `into` is present, added to those of that type.
    enum TypeDeletion { static let (type, app, into) = (0, 1, 2) }
    static let typeDeletion = table("TypeDeletion", ["type", "app", "into"], key: ("type", nil))

    private static func table(
        _ name: String, _ columns: [String], texts: Set<String> = [], key: (String, String?),
        indexes: [(name: String, partition: String, sort: String?)] = []
    ) -> Table {
        Table(
            system: namePrefix + name, columns, integers: Set(columns).subtracting(texts), key: key, indexes: indexes)
    }
}
