import Encodings

/// The parameters of a query, decoded, in the order sent.
struct QueryParameters: Sendable {
    /// One parameter. `value` is nil when there is no equals sign.
    struct Parameter: Sendable {
        var name: [UInt8]
        var value: [UInt8]?

        /// Whether the name has these bytes. Most names differ in their length.
        func isNamed(_ text: String) -> Bool { name.count == text.utf8.count && name.elementsEqual(text.utf8) }
    }

    /// At most `SignatureLimits.queryParametersMax`.
    let parameters: [Parameter]

    /// Reads a query as sent. Nothing between two ampersands is no parameter.
    init(_ query: String) throws(SignatureError) {
        var parameters: [Parameter] = []
        for part in query.utf8.split(separator: UInt8(ascii: "&")) {
            guard parameters.count < SignatureLimits.queryParametersMax else { throw .tooManyQueryParameters }
            let equals = part.firstIndex(of: UInt8(ascii: "="))
            guard let name = Percent.decodeStrictly(part[..<(equals ?? part.endIndex)]) else { throw .malformedQuery }
            var value: [UInt8]?
            if let equals {
                guard let bytes = Percent.decodeStrictly(part[part.index(after: equals)...]) else {
                    throw .malformedQuery
                }
                value = bytes
            }
            parameters.append(Parameter(name: name, value: value))
        }
        self.parameters = parameters
    }

    /// Whether a parameter of the name is there.
    func contains(_ name: String) -> Bool { parameters.contains { $0.isNamed(name) } }

    /// The value of a parameter that may occur once. It is malformed when it is not UTF-8.
    func value(of name: String, as part: SignaturePart) throws(SignatureError) -> String? {
        var found: String?
        for parameter in parameters where parameter.isNamed(name) {
            guard found == nil else { throw .duplicatePart(part) }
            guard let text = String(validating: parameter.value ?? [], as: UTF8.self) else {
                throw .malformedPart(part)
            }
            found = text
        }
        return found
    }

    /// CanonicalQueryString: names and values encoded, sorted by encoded name and then by value, an equals sign in
    /// each. `X-Amz-Signature` is left out.
    var canonical: [UInt8] {
        var pairs: [(name: [UInt8], value: [UInt8])] = []
        for parameter in parameters where !parameter.isNamed("X-Amz-Signature") {
            var pair: (name: [UInt8], value: [UInt8]) = ([], [])
            Percent.append(parameter.name, keepsSlash: false, to: &pair.name)
            Percent.append(parameter.value ?? [], keepsSlash: false, to: &pair.value)
            pairs.append(pair)
        }
        pairs.sort {
            $0.name == $1.name
                ? $0.value.lexicographicallyPrecedes($1.value) : $0.name.lexicographicallyPrecedes($1.name)
        }
        return Array(pairs.map { $0.name + [UInt8(ascii: "=")] + $0.value }.joined(separator: [UInt8(ascii: "&")]))
    }
}
