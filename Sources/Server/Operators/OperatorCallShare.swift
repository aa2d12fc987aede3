/// Whose an operator's call is: all calls of a name and rank together have one share of the threads and places.
struct OperatorCallShare: Sendable, Hashable {
    /// For whom threads and places are kept free.
    enum Rank: Sendable {
        case viewerOrEditor, owner
        /// By `operators.sock`: the user of the machine.
        case socket
    }

    let name: String
    let rank: Rank

    init(name: String, rank: Rank) { (self.name, self.rank) = (name, rank) }

    /// The share of a caller by TCP.
    init(of caller: OperatorCallHandler.Caller) {
        self.init(name: caller.name, rank: caller.role == .owner ? .owner : .viewerOrEditor)
    }
}
