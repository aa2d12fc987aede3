public import JSON

/// A file that clients of Amplify or AWS are configured by.
public enum ClientFile: String, Sendable, Hashable, CaseIterable {
    /// Of amplify-swift and amplify-android (Gen 1).
    case amplifyConfiguration = "amplifyconfiguration.json"
    /// Of the older mobile SDKs.
    case awsConfiguration = "awsconfiguration.json"
    /// Of all clients of Gen 2.
    case amplifyOutputs = "amplify_outputs.json"
    /// Of amplify-js (Gen 1).
    case awsExports = "aws-exports.js"

    /// The bytes of a file that is there already that are read.
    public static let bytesMax = 4 << 20

    /// The members for a backend.
    public func value(_ backend: ClientBackend) -> JSONObject {
        switch self {
        case .amplifyConfiguration: backend.amplifyConfiguration
        case .awsConfiguration: backend.awsConfiguration
        case .amplifyOutputs: backend.amplifyOutputs
        case .awsExports: backend.awsExports
        }
    }

    /// The text of members, with the unknown members of the file that is replaced. JavaScript that somebody has written around
    /// the object is kept, too.
    ///
    /// - Parameter existing: The text of that file.
    /// - Returns: Nil where the existing text is no such file.
    public func text(_ value: JSONObject, keeping existing: String) -> String? {
        guard let members = read(existing) else { return nil }
        let merged = merge(members, with: value, at: [])
        guard self == .awsExports, let script = ExportsScript(existing), !script.isGenerated else {
            return text(merged)
        }
        return script.head + IndentedJSON.text(of: .object(merged)) + script.tail
    }

    /// The text of members.
    public func text(_ value: JSONObject) -> String {
        let json = IndentedJSON.text(of: .object(value))
        guard self == .awsExports else { return json }
        return """
            /* eslint-disable */
            // Written by syncline pull. Members that it does not know are kept.

            const awsmobile = \(json);


            export default awsmobile;

            """
    }

    /// Whether members are those of a generated file: each has members that say what it is, whatever the backend serves.
    public func recognizes(_ members: JSONObject) -> Bool {
        switch self {
        case .amplifyConfiguration: members["UserAgent"] == "aws-amplify-cli/2.0" && members["Version"] == "1.0"
        case .awsConfiguration: members["UserAgent"] == "aws-amplify/cli" && members["Version"] == "0.1.0"
        case .amplifyOutputs: members["version"] == "1"
        case .awsExports: members["aws_project_region"]?.stringValue != nil
        }
    }

    /// The address of the GraphQL API that members name; nil where they name none.
    public func address(of members: JSONObject) -> ClientAddress? {
        let file = JSONValue.object(members)
        let url: JSONValue? =
            switch self {
            case .amplifyConfiguration:
                file["api"]?["plugins"]?["awsAPIPlugin"]?.objectValue?.first { $0.value["endpointType"] == "GraphQL" }?
                    .value["endpoint"]
            case .awsConfiguration: file["AppSync"]?["Default"]?["ApiUrl"]
            case .amplifyOutputs: file["data"]?["url"]
            case .awsExports: file["aws_appsync_graphqlEndpoint"]
            }
        return url?.stringValue.flatMap { ClientAddress(url: $0) }
    }

    /// Whether a text has the secret of an app client.
    public static func hasSecret(_ text: String) -> Bool { text.contains("\"AppClientSecret\"") }

    /// The members of a text, none of an empty one; nil where it is no such file. A byte order mark is skipped.
    public func read(_ text: String) -> JSONObject? {
        let text = text.unicodeScalars.first == "\u{FEFF}" ? String(text.unicodeScalars.dropFirst()) : text
        guard !text.allSatisfy(\.isWhitespace) else { return [:] }
        guard self == .awsExports else { return (try? JSONReader.read(Array(text.utf8)))?.objectValue }
        let value = ExportsScript(text).flatMap { try? JSONReader.read(Array($0.object.utf8)) }
        return value.map(Self.withoutPrototypes)?.objectValue
    }

    /// The value without members called `__proto__`: in a literal of JavaScript they set an object's prototype (ECMA-262,
    /// "__proto__ Property Names in Object Initializers"), which JSON's do not.
    private static func withoutPrototypes(_ value: JSONValue) -> JSONValue {
        switch value {
        case .array(let elements): return .array(elements.map(withoutPrototypes))
        case .object(let members):
            return .object(
                JSONObject(members.filter { $0.key != "__proto__" }.map { ($0.key, withoutPrototypes($0.value)) }))
        default: return value
        }
    }
}
