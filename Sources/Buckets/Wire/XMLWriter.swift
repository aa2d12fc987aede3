/// Writes the XML of responses: nested text elements.
package struct XMLWriter {
    /// The document so far.
    private(set) var text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"

    static let namespace = "http://s3.amazonaws.com/doc/2006-03-01/"

    /// A document with a root in S3's namespace.
    ///
    /// - Parameter hasNamespace: False for errors, which have no namespace.
    init(root: String, hasNamespace: Bool = true, _ content: (inout XMLWriter) -> Void) {
        text += "<\(root)\(hasNamespace ? " xmlns=\"\(Self.namespace)\"" : "")>"
        content(&self)
        text += "</\(root)>"
    }

    /// Adds a text element.
    mutating func add(_ name: String, _ value: String) {
        text += "<\(name)>"
        append(value)
        text += "</\(name)>"
    }

    /// Adds a text element if the text is not nil.
    mutating func add(_ name: String, _ value: String?) { if let value { add(name, value) } }

    mutating func add(_ name: String, _ value: Int) { add(name, String(value)) }
    mutating func add(_ name: String, _ value: Bool) { add(name, value ? "true" : "false") }

    /// Adds an element with child elements.
    mutating func add(_ name: String, attributes: String = "", _ content: (inout XMLWriter) -> Void) {
        text += "<\(name)\(attributes)>"
        content(&self)
        text += "</\(name)>"
    }

    /// Adds a text to the element that was begun last.
    mutating func append(_ value: String) { Self.append(value, to: &text) }

    /// A text as it is written in an element. Characters that XML 1.0 does not allow are written as references, as in S3; a client that
    /// expects such keys requests `encoding-type=url`.
    package static func escaped(_ value: String) -> String {
        var text = ""
        append(value, to: &text)
        return text
    }

    private static func append(_ value: String, to text: inout String) {
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
