import JSON

/// The `response` of a trigger's function. A member of a wrong type is an error: what it meant must not be guessed.
struct TriggerResponse: Sendable {
    let object: JSONObject

    /// The most that a function may add to the claims of a token, in bytes of JSON.
    static let addedClaimBytesMax = 12_288

    static func invalid(_ message: String) -> CognitoError { CognitoError("InvalidLambdaResponseException", message) }
    static let unrecognizable = invalid("Unrecognizable lambda output")

    /// A member; nil if it is absent or null.
    private func value(_ name: String) -> JSONValue? {
        guard let value = object[name], !value.isNull else { return Optional.none }
        return value
    }

    func has(_ name: String) -> Bool { object[name] != nil }

    func bool(_ name: String) throws(CognitoError) -> Bool? {
        guard let value = value(name) else { return nil }
        guard let bool = value.boolValue else { throw Self.unrecognizable }
        return bool
    }

    /// - Parameter countMax: Maximum number of characters.
    func text(_ name: String, countMax: Int = 131_072) throws(CognitoError) -> String? {
        guard let value = value(name) else { return nil }
        guard let text = value.stringValue, text.utf16.count <= countMax else { throw Self.unrecognizable }
        return text
    }

    func response(_ name: String) throws(CognitoError) -> TriggerResponse? {
        guard let value = value(name) else { return nil }
        guard let object = value.objectValue else { throw Self.unrecognizable }
        return TriggerResponse(object: object)
    }

    func list(_ name: String) throws(CognitoError) -> [String]? {
        guard let value = value(name) else { return nil }
        guard let elements = value.arrayValue else { throw Self.unrecognizable }
        let texts = elements.compactMap(\.stringValue)
        guard texts.count == elements.count else { throw Self.unrecognizable }
        return texts
    }

    /// A map of texts. Numbers and booleans are texts, too, as in Cognito.
    func texts(_ name: String) throws(CognitoError) -> [(name: String, value: String)]? {
        guard let members = try response(name)?.object else { return nil }
        var texts: [(name: String, value: String)] = []
        for (name, value) in members where !value.isNull {
            guard value.arrayValue == nil, value.objectValue == nil else { throw Self.unrecognizable }
            texts.append((name, value.stringValue ?? value.description))
        }
        return texts
    }
}
