import JSON
import Testing

@testable import API

extension Service {
    /// Compares the whole `data` of an answer, letter by letter, and its errors.
    ///
    /// An error is written as `path errorType: message`, without what it lacks; the part of a message in which DynamoDB
    /// names its random request is cut off.
    func expect(
        _ query: String, _ variables: String? = nil, operationName: String? = nil, data: String, errors: [String] = [],
        sourceLocation: Testing.SourceLocation = #_sourceLocation
    ) throws {
        let text = try text(query, variables, operationName: operationName)
        let answer = try JSONReader.read(text)
        let found = (answer["errors"]?.arrayValue ?? []).map(Self.described)
        #expect(answer["data"]?.description == data, sourceLocation: sourceLocation)
        #expect(found == errors, sourceLocation: sourceLocation)
    }

    /// Sends requests whose answers do not matter, as long as they have no errors.
    func seed(_ requests: String..., sourceLocation: Testing.SourceLocation = #_sourceLocation) throws {
        for request in requests { _ = try data(request, sourceLocation: sourceLocation) }
    }

    /// One value of an answer's `data`, by its response keys.
    func value(_ query: String, _ variables: String? = nil, at path: String...) throws -> JSONValue? {
        path.reduce(try run(query, variables)["data"]) { value, key in value?[key] }
    }

    /// The ids of the items on a page, joined by a space.
    func ids(_ query: String, _ variables: String? = nil, at path: String...) throws -> String {
        let page = path.reduce(try run(query, variables)["data"]) { value, key in value?[key] }
        guard let items = page?["items"]?.arrayValue else { return try text(query, variables) }
        return items.map { $0["id"]?.stringValue ?? "?" }.joined(separator: " ")
    }

    static func described(_ error: JSONValue) -> String {
        var words: [String] = []
        if let path = error["path"]?.arrayValue {
            words.append(path.map { $0.stringValue ?? $0.description }.joined(separator: "/"))
        }
        if let type = error["errorType"]?.stringValue { words.append("\(type):") }
        let message = error["message"]?.stringValue ?? "no message"
        words.append(message.components(cutting: " (Service: DynamoDb"))
        return words.joined(separator: " ")
    }
}

extension String {
    /// The text up to a part of it.
    fileprivate func components(cutting part: String) -> String {
        range(ofText: part).map { String(self[..<$0]) } ?? self
    }

    private func range(ofText part: String) -> Index? {
        indices.first { self[$0...].hasPrefix(part) }
    }
}

/// What a write says when its condition is false, its item is missing, or is there already.
func conditionFailed(_ field: String) -> String {
    "\(field) DynamoDB:ConditionalCheckFailedException: The conditional request failed"
}
