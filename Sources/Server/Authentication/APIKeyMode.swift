/// The mode `API_KEY`: a caller that presents one of the API's keys.
struct APIKeyMode: Sendable {
    private let keys: [[UInt8]]
    private let created: APIKeyRegistry?

    /// - Parameter created: The keys beside those, which come, go and expire while the API is served.
    init(keys: [String], created: APIKeyRegistry? = nil) {
        (self.keys, self.created) = (keys.map { Array($0.utf8) }, created)
    }

    /// Whether it is one of the keys. Compares with every key to the end, so that the time it takes does not depend on
    /// how much of a key was right.
    func accepts(_ candidate: UnsafeRawBufferPointer) -> Bool {
        var isKnown = false
        for key in keys where key.count == candidate.count {
            var difference: UInt8 = 0
            // The counts are equal.
            for position in key.indices { unsafe difference |= key[position] ^ candidate[position] }
            isKnown = isKnown || difference == 0
        }
        return unsafe isKnown || created?.accepts(candidate) ?? false
    }
}
