import JSON

/// A client's update of an endpoint: the members of Pinpoint's `EndpointRequest` in the request, without nulls.
struct EndpointChange: Sendable {
    private(set) var members: JSONObject = [:]
    /// Bytes of the endpoint as it was sent.
    private(set) var byteCount = 0

    /// An update without members.
    init() {}

    /// Whether it changes nothing.
    var isEmpty: Bool { members.isEmpty }

    /// Parses an endpoint; members unknown to Pinpoint are ignored.
    ///
    /// - Parameter byteCount: Its bytes as it was sent.
    init(_ value: JSONValue, byteCount: Int, _ limits: AnalyticsLimits) throws(EndpointProblem) {
        self.byteCount = byteCount
        if value.isNull { return }
        guard let object = value.objectValue else { throw EndpointProblem(message: "An endpoint is an object.") }
        members = try Self.read(object, Self.known, at: "", limits)
    }

    /// Whether an endpoint of so many bytes, as it was sent, may be parsed.
    static func mayHave(_ byteCount: Int, _ limits: AnalyticsLimits) -> Bool {
        byteCount <= 2 * limits.endpointBytesMax
    }

    /// The type of a member.
    private indirect enum Kind: Sendable {
        case text, number
        case texts
        case map(Kind)
        case object([(String, Kind)])
        case choice(Set<String>)
    }

    private static let channelTypes: Set<String> = [
        "PUSH", "GCM", "APNS", "APNS_SANDBOX", "APNS_VOIP", "APNS_VOIP_SANDBOX", "ADM", "SMS", "VOICE", "EMAIL",
        "BAIDU", "CUSTOM", "IN_APP",
    ]

    /// Amazon Pinpoint API Reference, "EndpointRequest".
    private static let known: [(String, Kind)] = [
        ("Address", .text), ("Attributes", .map(.texts)), ("ChannelType", .choice(channelTypes)),
        (
            "Demographic",
            .object(
                ["AppVersion", "Locale", "Make", "Model", "ModelVersion", "Platform", "PlatformVersion", "Timezone"]
                    .map { ($0, .text) })
        ), ("EffectiveDate", .text), ("EndpointStatus", .text),
        (
            "Location",
            .object(
                ["City", "Country", "PostalCode", "Region"].map { ($0, .text) }
                    + [("Latitude", .number), ("Longitude", .number)])
        ), ("Metrics", .map(.number)), ("OptOut", .text), ("RequestId", .text),
        ("User", .object([("UserAttributes", .map(.texts)), ("UserId", .text)])),
    ]

    private static func read(
        _ object: JSONObject, _ known: [(String, Kind)], at path: String, _ limits: AnalyticsLimits
    ) throws(EndpointProblem) -> JSONObject {
        var members: JSONObject = [:]
        for (name, kind) in known {
            guard let value = object[name], !value.isNull else { continue }
            members[name] = try read(value, kind, at: path + name, limits)
        }
        return members
    }

    private static func read(
        _ value: JSONValue, _ kind: Kind, at path: String, _ limits: AnalyticsLimits
    ) throws(EndpointProblem) -> JSONValue {
        func refuse(_ what: String) -> EndpointProblem { EndpointProblem(message: "'\(path)' is \(what).") }
        switch kind {
        case .text: if value.stringValue == nil { throw refuse("a text") }
        case .number: if value.doubleValue == nil { throw refuse("a number") }
        case .texts:
            guard let list = value.arrayValue, list.allSatisfy({ $0.stringValue != nil }) else {
                throw refuse("a list of texts")
            }
            guard list.count <= limits.valuesPerAttributeMax else {
                throw EndpointProblem(message: "'\(path)' has more than \(limits.valuesPerAttributeMax) values.")
            }
        case .choice(let choices):
            guard let text = value.stringValue, choices.contains(text) else {
                throw refuse("one of \(choices.sorted().joined(separator: ", "))")
            }
        case .map(let inner):
            guard let object = value.objectValue else { throw refuse("an object") }
            guard object.count <= limits.attributesPerEndpointMax else {
                throw .tooManyAttributes(in: path, limits)
            }
            var read: JSONObject = [:]
            for (name, value) in object where !value.isNull {
                read[name] = try Self.read(value, inner, at: "\(path).\(name)", limits)
            }
            return .object(read)
        case .object(let known):
            guard let object = value.objectValue else { throw refuse("an object") }
            return .object(try read(object, known, at: path + ".", limits))
        }
        return value
    }
}
