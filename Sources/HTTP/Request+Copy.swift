extension Request {
    /// A copy with bytes of its own, for one who keeps it when the connection needs the room of this one. Of the credentials in
    /// `Authorization` and `x-api-key` the copy has no more than their last characters.
    ///
    /// - Parameters:
    ///   - keepsContent: Whether it has the query and the body; otherwise it has neither.
    ///   - credentialBytesKept: Bytes of credentials that it has, of those that have at least twice as many.
    public func copy(keepsContent: Bool, credentialBytesKept: Int = 4) -> Request {
        let start = Int(start)
        let headCount = Int(max(pathRange.upper, queryRange?.upper ?? 0, fields.last?.value.upper ?? 0))
        let bodyCount = keepsContent ? bodyCount : 0
        var copied: [UInt8] = []
        copied.reserveCapacity(headCount + bodyCount)
        unsafe bytes.withUnsafeBytes { head in
            unsafe copied.append(contentsOf: head[start..<start + headCount])
        }
        if bodyCount > 0 { unsafe withBody { unsafe copied.append(contentsOf: $0) } }
        if !keepsContent, let queryRange { Self.mask(&copied, queryRange.range) }
        for field in [NotedField.authorization, .apiKey] {
            guard let place = noted[field] else { continue }
            let range = fields[place].value.range
            let keptCount = range.count >= 2 * credentialBytesKept ? credentialBytesKept : 0
            Self.mask(&copied, range.dropLast(keptCount))
        }
        return Request(
            method: method, isHTTP10: isHTTP10, peer: peer, isSecure: isSecure, traits: traits, bytes: copied, start: 0,
            path: pathRange, query: keepsContent ? queryRange : nil, fields: fields, noted: noted, body: copied,
            bodyRange: headCount..<headCount + bodyCount)
    }

    private static func mask(_ bytes: inout [UInt8], _ range: Range<Int>) {
        for index in range { bytes[index] = UInt8(ascii: "*") }
    }
}
