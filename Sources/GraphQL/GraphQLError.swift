public import JSON

/// One entry of a response's `errors`, as AppSync writes it.
///
/// AppSync has three shapes with different keys in a different order, and clients have seen all of them; `shape`
/// says which one this is. Keys that GraphQL would put under `extensions` stand at the top level, where AppSync's
/// clients look for them.
public struct GraphQLError: Error, Sendable, Hashable {
    /// Which of AppSync's three forms an error has.
    public enum Shape: Sendable, Hashable {
        /// Syntax, validation, coercion of variables: `path` null, `locations`, `message`; `errorType` only if set.
        case request
        /// Raised by a resolver: `path`, `data`, `errorType`, `errorInfo`, `locations`, `message`.
        case resolver
        /// Raised while a value was completed: `path`, `locations` null, `message`.
        case completion
    }

    /// What went wrong, for the caller to read.
    public var message: String
    /// Where in the document; nil is written as `null`.
    public var locations: [SourceLocation]?
    /// Where in the response; nil is written as `null`.
    public var path: [PathElement]?
    /// AppSync's word for the kind of error, for example `Unauthorized`.
    public var errorType: String?
    /// Whatever a resolver wants to add.
    public var errorInfo: JSONValue?
    /// What a resolver knows of the item in spite of the error, for example the current one after a conflict.
    public var data: JSONValue?
    /// Which keys are written, and in which order.
    public var shape: Shape

    /// An error of the request unless another shape is named.
    public init(
        _ message: String, locations: [SourceLocation]? = nil, path: [PathElement]? = nil, errorType: String? = nil,
        errorInfo: JSONValue? = nil, data: JSONValue? = nil, shape: Shape = .request
    ) {
        self.message = message
        self.locations = locations
        self.path = path
        self.errorType = errorType
        self.errorInfo = errorInfo
        self.data = data
        self.shape = shape
    }
}

extension GraphQLError {
    /// Writes the error as the object of an HTTP response, its keys in AppSync's order.
    public func write(into writer: inout JSONWriter) {
        writer.append("{\"path\":")
        writePath(into: &writer)
        if shape == .resolver {
            writer.append(",\"data\":")
            writer.write(data ?? .null)
            writer.append(",\"errorType\":")
            writer.write(errorType.map { .string($0) } ?? .null)
            writer.append(",\"errorInfo\":")
            writer.write(errorInfo ?? .null)
        } else if let errorType {
            writer.append(",\"errorType\":")
            writer.writeString(errorType)
        }
        writer.append(",\"locations\":")
        writeLocations(into: &writer)
        writer.append(",\"message\":")
        writer.writeString(message)
        writer.append(UInt8(ascii: "}"))
    }

    /// Writes the thinner object of a realtime message: `message`, and `errorType` and `path` where there are any.
    public func writeThin(into writer: inout JSONWriter) {
        writer.append("{\"message\":")
        writer.writeString(message)
        if let errorType {
            writer.append(",\"errorType\":")
            writer.writeString(errorType)
        }
        if path != nil {
            writer.append(",\"path\":")
            writePath(into: &writer)
        }
        writer.append(UInt8(ascii: "}"))
    }

    private func writePath(into writer: inout JSONWriter) {
        guard let path else { return writer.writeNull() }
        writer.append(UInt8(ascii: "["))
        for (position, element) in path.enumerated() {
            if position > 0 { writer.append(UInt8(ascii: ",")) }
            switch element {
            case .key(let key): writer.writeString(key)
            case .index(let index): writer.write(Int64(index))
            }
        }
        writer.append(UInt8(ascii: "]"))
    }

    private func writeLocations(into writer: inout JSONWriter) {
        guard let locations, shape != .completion else { return writer.writeNull() }
        writer.append(UInt8(ascii: "["))
        for (position, location) in locations.enumerated() {
            if position > 0 { writer.append(UInt8(ascii: ",")) }
            writer.append("{\"line\":")
            writer.write(Int64(location.line))
            writer.append(",\"column\":")
            writer.write(Int64(location.column))
            // The engine names the file a document came from; a request came from none.
            writer.append(",\"sourceName\":null}")
        }
        writer.append(UInt8(ascii: "]"))
    }
}
