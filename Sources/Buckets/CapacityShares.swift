/// What is taken of something bounded, such as requests under way or bytes of memory, and by whom. A part is kept for operators. Of the
/// rest, one network, the guests of one network and one identity each have a part at most, so that nobody takes it from all others.
public struct CapacityShares: Sendable {
    /// Who takes something.
    public struct Owner: Sendable, Hashable {
        /// Whose share it is of.
        public var share: CapacityShare
        /// The client's network, whose requests share bounds.
        public var network: String

        /// An owner on a network.
        public init(_ share: CapacityShare, network: String) { (self.share, self.network) = (share, network) }
    }

    /// How much may be taken.
    public struct Bounds: Sendable {
        /// By all together.
        var all: Int
        /// Of that, what nobody but operators may take.
        var keptForOperators: Int
        /// By the callers of one network who are no operators.
        var network: Int
        /// By the guests of one network; nil for no bound of their own.
        var guestsOfNetwork: Int?
        /// By one identity, whatever its networks.
        var identity: Int

        /// Those of requests: a tenth is kept for operators, a network has three quarters at most, its guests a quarter, and an
        /// identity an eighth.
        public static func requests(countMax: Int) -> Bounds {
            Bounds(
                all: countMax, keptForOperators: countMax / 10, network: max(1, countMax * 3 / 4),
                guestsOfNetwork: max(1, countMax / 4), identity: max(1, countMax / 8))
        }

        /// Those of the memory of bodies in XML: an eighth is kept for operators, a network has half at most, and an identity a
        /// quarter, but at least what it may take in any case, as far as the network's half allows.
        static func documents(bytesMax: Int) -> Bounds {
            Bounds(
                all: bytesMax, keptForOperators: bytesMax / 8, network: bytesMax / 2,
                identity: max(bytesMax / 4, min(bytesMax / 2, identityDocumentBytesMin)))
        }

        /// What one identity may take in any case: two copies of the largest body, and its elements.
        private static let identityDocumentBytesMin = 16 << 20
    }

    private let bounds: Bounds
    /// What all have taken.
    public private(set) var taken = 0
    private var byNetwork: [String: Int] = [:]
    private var guestsByNetwork: [String: Int] = [:]
    private var byIdentity: [String: Int] = [:]

    /// Nothing is taken yet.
    public init(_ bounds: Bounds) { self.bounds = bounds }

    /// Takes an amount if there is room for it; `release` is to be called if so.
    public mutating func take(_ amount: Int = 1, for owner: Owner) -> Bool {
        guard hasRoom(for: amount, owner) else { return false }
        add(amount, for: owner)
        return true
    }

    /// Takes an amount also where others have taken all the room: for what has begun, and cannot be refused any more.
    public mutating func add(_ amount: Int = 1, for owner: Owner) { change(owner, by: amount) }

    /// Returns an amount that the owner has taken.
    public mutating func release(_ amount: Int = 1, for owner: Owner) { change(owner, by: -amount) }

    private func hasRoom(for amount: Int, _ owner: Owner) -> Bool {
        guard amount <= bounds.all - taken else { return false }
        guard owner.share != .operator else { return true }
        guard amount <= bounds.all - bounds.keptForOperators - taken,
            amount <= bounds.network - (byNetwork[owner.network] ?? 0)
        else { return false }
        switch owner.share {
        case .operator: return true
        case .identity(let id): return amount <= bounds.identity - (byIdentity[id] ?? 0)
        case .guests:
            guard let bound = bounds.guestsOfNetwork else { return true }
            return amount <= bound - (guestsByNetwork[owner.network] ?? 0)
        }
    }

    private mutating func change(_ owner: Owner, by amount: Int) {
        taken += amount
        switch owner.share {
        case .operator: return
        case .identity(let id): byIdentity.add(amount, to: id)
        case .guests: guestsByNetwork.add(amount, to: owner.network)
        }
        byNetwork.add(amount, to: owner.network)
    }
}

extension [String: Int] {
    fileprivate mutating func add(_ change: Int, to key: String) {
        let count = (self[key] ?? 0) + change
        self[key] = count == 0 ? nil : count
    }
}
