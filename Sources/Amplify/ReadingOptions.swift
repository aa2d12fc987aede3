public import JSON

/// What decides how a project is read, beside its files.
public struct ReadingOptions: Sendable {
    /// What the project is read for.
    public enum Purpose: Sendable, Hashable {
        /// For its author: what is not served is a warning.
        case develop
        /// For callers: what is not served and would be missed is an error.
        case serve
        /// For files that replace it.
        case importing
    }

    /// What the project is read for.
    public var purpose: Purpose
    /// The environment that was asked for; nil for the project's own.
    public var environment: String?
    /// The API that was asked for, where there are several.
    public var api: String?
    /// Variables of the process that may set feature flags, and those with the credentials of identity providers, by
    /// their names.
    public var variables: [String: String]
    /// The configuration file, which overrides the project.
    public var overrides: JSONObject
    /// Whether `serve` accepts an API key that has expired at AWS.
    public var allowsExpiredKeys: Bool
    /// Whether the project is served without its custom transformers.
    public var ignoresCustomTransformers: Bool
    /// The present time, in milliseconds since 1970.
    public var nowMilliseconds: Int64

    /// Options for a purpose.
    public init(
        purpose: Purpose = .develop, environment: String? = nil, api: String? = nil, variables: [String: String] = [:],
        overrides: JSONObject = [:], allowsExpiredKeys: Bool = false, ignoresCustomTransformers: Bool = false,
        nowMilliseconds: Int64 = 0
    ) {
        (self.purpose, self.environment, self.api) = (purpose, environment, api)
        (self.variables, self.overrides) = (variables, overrides)
        (self.allowsExpiredKeys, self.ignoresCustomTransformers) = (allowsExpiredKeys, ignoresCustomTransformers)
        self.nowMilliseconds = nowMilliseconds
    }
}
