/// A function that is called when objects of a bucket change (Amazon S3 User Guide, "Amazon S3 Event Notifications").
public struct ObjectTrigger: Sendable, Hashable {
    /// The function, by its name in the configuration.
    public var function: String
    /// The events, such as `s3:ObjectCreated:*` or `s3:ObjectRemoved:Delete`.
    public var events: [String]
    /// The prefix of the keys.
    public var prefix: String
    /// The suffix of the keys.
    public var suffix: String
    /// The `configurationId` of its events.
    public var id: String

    /// A trigger for all changes of all objects, unless it is restricted.
    public init(
        function: String, events: [String] = ["s3:ObjectCreated:*", "s3:ObjectRemoved:*"], prefix: String = "",
        suffix: String = "", id: String = ""
    ) {
        (self.function, self.events, self.prefix, self.suffix, self.id) = (function, events, prefix, suffix, id)
    }

    /// Whether the function is called for an event, such as `ObjectCreated:Put`.
    func matches(_ event: String, _ key: String) -> Bool {
        guard key.hasBytePrefix(prefix), key.hasByteSuffix(suffix) else { return false }
        return events.contains { pattern in
            let name = "s3:\(event)"
            return pattern.hasSuffix("*") ? name.hasBytePrefix(pattern.dropLast()) : pattern == name
        }
    }
}
