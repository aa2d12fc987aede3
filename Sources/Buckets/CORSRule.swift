import JSON

/// A rule for browsers on other origins (Amazon S3 User Guide, "Using cross-origin resource sharing (CORS)").
public struct CORSRule: Sendable, Hashable {
    /// The `ID`.
    public var id: String?
    /// Origins; each may have one `*`.
    public var allowedOrigins: [String]
    /// Any of GET, HEAD, PUT, POST and DELETE.
    public var allowedMethods: [String]
    /// Headers that a preflight may ask for; each may have one `*`.
    public var allowedHeaders: [String]
    /// Headers of answers that a page may read; each may have one `*`.
    public var exposeHeaders: [String]
    /// Seconds for which a browser caches the response to a preflight.
    public var maxAgeSeconds: Int?

    /// A rule that allows no headers and exposes none, unless some are given.
    public init(
        id: String? = nil, allowedOrigins: [String], allowedMethods: [String], allowedHeaders: [String] = [],
        exposeHeaders: [String] = [], maxAgeSeconds: Int? = nil
    ) {
        (self.id, self.allowedOrigins, self.allowedMethods) = (id, allowedOrigins, allowedMethods)
        (self.allowedHeaders, self.exposeHeaders, self.maxAgeSeconds) = (allowedHeaders, exposeHeaders, maxAgeSeconds)
    }

    /// The rules of a bucket without CORS rules, as in buckets of the Amplify CLI: any origin and method; the headers that
    /// clients read are exposed.
    public static func defaults(allowedOrigins: [String] = ["*"]) -> [CORSRule] {
        [
            CORSRule(
                allowedOrigins: allowedOrigins, allowedMethods: methods, allowedHeaders: ["*"],
                exposeHeaders: [
                    "ETag", "x-amz-request-id", "x-amz-id-2", "x-amz-version-id", "x-amz-checksum-*", "Content-Range",
                    "x-amz-meta-*",
                ], maxAgeSeconds: 3_000)
        ]
    }

    static let methods = ["GET", "HEAD", "PUT", "POST", "DELETE"]
    /// Rules of a bucket (S3: 100).
    static let countMax = 100
}

// MARK: - Matching

extension CORSRule {
    /// Whether a request of this origin and method, with these headers, is allowed.
    func allows(_ origin: String, _ method: String, headers: [String] = []) -> Bool {
        allowedMethods.contains(method) && allowedOrigins.contains { Self.matches($0, origin) }
            && headers.allSatisfy { header in
                allowedHeaders.contains { Self.matches($0.asciiLowercased, header.asciiLowercased) }
            }
    }

    /// The CORS headers of a response to a request that the rule allows.
    ///
    /// - Parameter names: The names of the response's headers; those that match are exposed.
    func headers(for origin: String, answering names: [String]) -> [(name: String, value: String)] {
        let isAny = allowedOrigins.contains("*")
        var headers = [("Access-Control-Allow-Origin", isAny ? "*" : origin)]
        if !isAny { headers.append(("Access-Control-Allow-Credentials", "true")) }
        var exposed: [String] = []
        for pattern in exposeHeaders {
            if pattern.contains("*") {
                exposed += names.filter { Self.matches(pattern.asciiLowercased, $0.asciiLowercased) }
            } else {
                exposed.append(pattern)
            }
        }
        if !exposed.isEmpty { headers.append(("Access-Control-Expose-Headers", exposed.joined(separator: ", "))) }
        headers.append(("Vary", "Origin, Access-Control-Request-Headers, Access-Control-Request-Method"))
        return headers
    }

    /// Whether a text matches a pattern, in which one `*` matches any characters.
    private static func matches(_ pattern: String, _ text: String) -> Bool {
        guard let star = pattern.utf8.firstIndex(of: UInt8(ascii: "*")) else {
            return pattern.utf8.elementsEqual(text.utf8)
        }
        let (start, end) = (pattern.utf8[..<star], pattern.utf8[star...].dropFirst())
        return text.utf8.count >= start.count + end.count && text.utf8.starts(with: start)
            && text.utf8.reversed().starts(with: end.reversed())
    }
}

// MARK: - Reading and writing

extension CORSRule {
    /// The rules of a `CORSConfiguration` document.
    static func read(_ document: XMLElement) throws(S3Error) -> [CORSRule] {
        let elements = document.all("CORSRule")
        guard 1...countMax ~= elements.count, elements.count == document.elements.count else { throw .malformedXML }
        var rules: [CORSRule] = []
        for element in elements {
            var rule = CORSRule(
                id: element["ID"]?.text, allowedOrigins: element.all("AllowedOrigin").map(\.text),
                allowedMethods: element.all("AllowedMethod").map(\.text),
                allowedHeaders: element.all("AllowedHeader").map(\.text),
                exposeHeaders: element.all("ExposeHeader").map(\.text))
            if let age = element["MaxAgeSeconds"] {
                guard let seconds = Int(age.text.trimmingBlanks), seconds >= 0 else { throw .malformedXML }
                rule.maxAgeSeconds = seconds
            }
            guard !rule.allowedOrigins.isEmpty, !rule.allowedMethods.isEmpty else { throw .malformedXML }
            try rule.check()
            rules.append(rule)
        }
        return rules
    }

    private func check() throws(S3Error) {
        for method in allowedMethods where !Self.methods.contains(method) {
            throw .invalidRequest("Found unsupported HTTP method in CORS config. Unsupported method is \(method)")
        }
        for (name, values) in [("AllowedOrigin", allowedOrigins), ("AllowedHeader", allowedHeaders)] {
            for value in values where value.utf8.count(where: { $0 == UInt8(ascii: "*") }) > 1 {
                throw .invalidRequest("\(name) \"\(value)\" can not have more than one wildcard.")
            }
        }
        for value in exposeHeaders + allowedOrigins + allowedHeaders {
            guard value.utf8.allSatisfy({ 0x21...0x7E ~= $0 }), value.utf8.count <= 1_024 else {
                throw .invalidRequest("\"\(value)\" is not valid in a CORS configuration.")
            }
        }
    }

    func write(into xml: inout XMLWriter) {
        xml.add("CORSRule") { xml in
            xml.add("ID", id)
            for header in allowedHeaders { xml.add("AllowedHeader", header) }
            for method in allowedMethods { xml.add("AllowedMethod", method) }
            for origin in allowedOrigins { xml.add("AllowedOrigin", origin) }
            for header in exposeHeaders { xml.add("ExposeHeader", header) }
            if let maxAgeSeconds { xml.add("MaxAgeSeconds", maxAgeSeconds) }
        }
    }

    init?(_ json: JSONValue) {
        guard let object = json.objectValue else { return nil }
        func texts(_ name: String) -> [String] { object[name]?.arrayValue?.compactMap(\.stringValue) ?? [] }
        self.init(
            id: object["id"]?.stringValue, allowedOrigins: texts("origins"), allowedMethods: texts("methods"),
            allowedHeaders: texts("headers"), exposeHeaders: texts("expose"),
            maxAgeSeconds: object["maxAge"]?.intValue.map(Int.init))
    }

    var json: JSONValue {
        func texts(_ values: [String]) -> JSONValue { .array(values.map(JSONValue.string)) }
        var object: JSONObject = [
            "origins": texts(allowedOrigins), "methods": texts(allowedMethods), "headers": texts(allowedHeaders),
            "expose": texts(exposeHeaders),
        ]
        if let id { object["id"] = .string(id) }
        if let maxAgeSeconds { object["maxAge"] = .number(String(maxAgeSeconds)) }
        return .object(object)
    }
}
