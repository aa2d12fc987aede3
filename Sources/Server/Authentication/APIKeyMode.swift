import Tables

/// The mode `API_KEY`: a caller that presents one of the API's keys.
final class APIKeyMode: Sendable {
    private let keys: [[UInt8]]
    /// The expiry time of each, in milliseconds since 1970; `.max` if it does not expire.
    private let ends: [Int64]
    /// The name of each, as operators name it.
    private let names: [String]
    private let clock: WallClock
    private let created: APIKeyRegistry?

    /// - Parameters:
    ///   - details: The expiry times of the keys.
    ///   - clock: The time that expiry times are compared with.
    ///   - created: The keys that are created and revoked while the API is served.
    init(
        keys: [String], details: [String: APIKeys.Details] = [:], clock: WallClock = .system,
        created: APIKeyRegistry? = nil
    ) {
        (self.keys, self.clock, self.created) = (keys.map { Array($0.utf8) }, clock, created)
        ends = keys.map { details[$0]?.expiresMilliseconds ?? .max }
        names = keys.map { details[$0]?.name ?? APIKeys.unnamed }
    }

    /// Whether a key is accepted.
    func accepts(_ candidate: UnsafeRawBufferPointer) -> Bool {
        unsafe configured(candidate) != nil || created?.accepts(candidate) ?? false
    }

    /// The name of a key as operators name it, if it is accepted.
    func name(_ candidate: UnsafeRawBufferPointer) -> String? {
        if let place = unsafe configured(candidate) { return names[place] }
        return unsafe created?.key(candidate)?.name
    }

    /// The position of the configured key, if it has not expired. Every key is compared to its end, so that the time does not
    /// depend on how much of a key was right.
    private func configured(_ candidate: UnsafeRawBufferPointer) -> Int? {
        var found: Int?
        for (place, key) in keys.enumerated() where key.count == candidate.count {
            var difference: UInt8 = 0
            // The counts are equal.
            for position in key.indices { unsafe difference |= key[position] ^ candidate[position] }
            if difference == 0 { found = place }
        }
        guard let found, ends[found] == .max || ends[found] > clock.milliseconds() else { return nil }
        return found
    }

    /// A key by which a subscription was begun.
    enum Origin: Sendable {
        /// One of the configuration.
        case configured([UInt8])
        /// One that was created, by its hash.
        case created([UInt8])
    }

    /// The key that it is, in memory that is shared by all who show it; nil if it is none.
    func origin(_ candidate: UnsafeRawBufferPointer) -> Origin? {
        if let place = unsafe configured(candidate) { return .configured(keys[place]) }
        return unsafe created?.key(candidate).map { .created($0.hash) }
    }

    /// Whether the key is still one of the API's. It may have expired.
    func has(_ origin: Origin) -> Bool {
        switch origin {
        case .configured(let key): keys.contains(key)
        case .created(let hash): created?.has(hash: hash) ?? false
        }
    }
}
