import JSON

/// An operation in the form that an authorizer receives: the members of its envelope, each as unchanged JSON text. They are not
/// parsed into values, because the caller is not authenticated yet.
struct OperationText: Sendable {
    private(set) var query: [UInt8]?
    private(set) var operationName: [UInt8]?
    private(set) var variables: [UInt8]?

    /// The members of an envelope; none if it is not a JSON object. If a name occurs twice, the last one is used.
    init(envelope: UnsafeRawBufferPointer) {
        do throws(JSONError) {
            var scanner = unsafe JSONScanner(envelope)
            try scanner.beginObject()
            while let key = try scanner.nextKey() {
                let (isQuery, isName) = (scanner.isEqual(key, "query"), scanner.isEqual(key, "operationName"))
                let isVariables = scanner.isEqual(key, "variables")
                let range = try scanner.skipValue()
                guard isQuery || isName || isVariables else { continue }
                // The scanner has read the range in these bytes.
                let text = unsafe [UInt8](envelope[range])
                if isQuery { query = text } else if isName { operationName = text } else { variables = text }
            }
            try scanner.finish()
        } catch {
            (query, operationName, variables) = (nil, nil, nil)
        }
    }

    /// The members from the query of a URL.
    init(_ parameters: FormParameters) {
        query = parameters["query"].map(Self.json)
        operationName = parameters["operationName"].map(Self.json)
        variables = parameters["variables"].map { Array($0.utf8) }.flatMap { Self.isJSON($0) ? $0 : nil }
    }

    private static func json(_ text: String) -> [UInt8] { Array(JSONValue.string(text).description.utf8) }

    private static func isJSON(_ text: [UInt8]) -> Bool {
        unsafe text.withUnsafeBytes { bytes in
            do throws(JSONError) {
                var scanner = unsafe JSONScanner(bytes)
                _ = try scanner.skipValue()
                try scanner.finish()
                return true
            } catch { return false }
        }
    }
}
