import JSON

/// The members of an endpoint's `Demographic` that are stored with the activity of a day.
struct EndpointDemographics: Sendable, Hashable {
    private(set) var platform: String?
    private(set) var version: String?

    /// Scans the text of a document. Other members are passed over, which costs much less than parsing them.
    ///
    /// Memory safety: the bytes of the text are borrowed for the closure.
    init(ofDocument text: String) {
        var text = text
        self = text.withUTF8 { bytes in
            var scanner = unsafe JSONScanner(UnsafeRawBufferPointer(bytes))
            var found = EndpointDemographics()
            try? found.read(&scanner)
            return found
        }
    }

    private init() {}

    private mutating func read(_ scanner: inout JSONScanner) throws(JSONError) {
        try scanner.beginObject()
        while let key = try scanner.nextKey() {
            guard scanner.isEqual(key, "Demographic"), try scanner.peekKind() == .object else {
                try scanner.skipValue()
                continue
            }
            let members = try scanner.readValue()
            (platform, version) = (members["Platform"]?.stringValue, members["AppVersion"]?.stringValue)
        }
    }
}
