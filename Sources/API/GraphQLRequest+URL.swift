import Encodings
import JSON

extension GraphQLRequest {
    /// Reads `query=…&variables=…&operationName=…`, form-encoded as browsers do it: GraphQL over HTTP, "GET". Other
    /// parameters are passed over; of equal names the last counts, as in the JSON envelope.
    mutating func read(urlQuery: UnsafeRawBufferPointer?, depthMax: Int) throws(EnvelopeError) {
        query.removeAll(keepingCapacity: true)
        operationName = nil
        variables = nil
        var namesPersistedQuery = false
        // The parts are slices of the borrowed bytes, used inside this call; texts are copied.
        let parameters = unsafe urlQuery?.split(separator: UInt8(ascii: "&")) ?? []
        for index in unsafe parameters.indices {
            let parameter = unsafe parameters[index]
            let nameEnd = unsafe parameter.firstIndex(of: UInt8(ascii: "=")) ?? parameter.endIndex
            guard let name = unsafe Self.decoded(parameter[..<nameEnd]),
                let value = unsafe Self.decoded(parameter[nameEnd...].dropFirst())
            else { throw .unreadable }
            switch name {
            case "query": query = Array(value.utf8)
            case "operationName": operationName = value.isEmpty ? nil : value
            case "variables": variables = try Self.variables(value, depthMax: depthMax)
            case "extensions":
                namesPersistedQuery = Self.namesPersistedQuery(
                    try? JSONReader.read(Array(value.utf8), depthMax: depthMax))
            default: break
            }
        }
        guard !query.isEmpty else { throw namesPersistedQuery ? .persistedQueryNotSupported : .unreadable }
    }

    /// The variables are JSON text: an object, or null.
    private static func variables(_ text: String, depthMax: Int) throws(EnvelopeError) -> JSONObject? {
        guard !text.isEmpty else { return nil }
        guard let value = try? JSONReader.read(Array(text.utf8), depthMax: depthMax) else { throw .unreadable }
        if value.isNull { return nil }
        guard let object = value.objectValue else { throw .unreadable }
        return object
    }

    /// The text of `application/x-www-form-urlencoded` bytes; nil for a broken escape or what is no UTF-8.
    private static func decoded(_ bytes: Slice<UnsafeRawBufferPointer>) -> String? {
        unsafe Percent.decodeStrictly(bytes, plus: UInt8(ascii: " ")).flatMap { String(validating: $0, as: UTF8.self) }
    }
}
