/// Writes the XML of answers: elements of text, nested.
struct XMLWriter {
    /// The document so far.
    private(set) var text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"

    static let namespace = "http://s3.amazonaws.com/doc/2006-03-01/"

    /// A document with a root in S3's namespace.
    ///
    /// - Parameter hasNamespace: False of errors, which have none.
    init(root: String, hasNamespace: Bool = true, _ content: (inout XMLWriter) -> Void) {
        text += "<\(root)\(hasNamespace ? " xmlns=\"\(Self.namespace)\"" : "")>"
        content(&self)
        text += "</\(root)>"
    }

    /// Adds an element of text.
    mutating func add(_ name: String, _ value: String) {
        text += "<\(name)>"
        append(value)
        text += "</\(name)>"
    }

    /// Adds an element of text where there is one.
    mutating func add(_ name: String, _ value: String?) { if let value { add(name, value) } }

    mutating func add(_ name: String, _ value: Int) { add(name, String(value)) }
    mutating func add(_ name: String, _ value: Bool) { add(name, value ? "true" : "false") }

    /// Adds an element of elements.
    mutating func add(_ name: String, attributes: String = "", _ content: (inout XMLWriter) -> Void) {
        text += "<\(name)\(attributes)>"
        content(&self)
        text += "</\(name)>"
    }

    /// Characters that XML 1.0 has no form for are written as references, as S3 does; a client that may meet such keys
    /// asks for `encoding-type=url`.
    mutating func append(_ value: String) {
        for scalar in value.unicodeScalars {
            switch scalar {
            case "&": text += "&amp;"
            case "<": text += "&lt;"
            case ">": text += "&gt;"
            case "\"": text += "&quot;"
            case "\u{20}"..."\u{7E}", "\u{A0}"..."\u{D7FF}", "\u{E000}"..."\u{FFFD}", "\u{10000}"..."\u{10FFFF}":
                text.unicodeScalars.append(scalar)
            default: text += "&#x\(String(scalar.value, radix: 16, uppercase: true));"
            }
        }
    }
}
