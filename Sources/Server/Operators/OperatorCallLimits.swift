/// All bounds of operators' calls under way, in number.
enum OperatorCallLimits {
    /// Threads of the calls, which wait for files, the writer and event loops.
    static let threadCount = 8
    /// Threads that the calls of one operator use.
    static let threadsOfOperatorMax = 3
    /// Calls of one operator that run or wait.
    static let callsOfOperatorMax = 12

    /// Calls that run when one of this rank begins are fewer.
    static func threadsMax(of rank: OperatorCallShare.Rank) -> Int {
        switch rank {
        case .viewerOrEditor: 5
        case .owner: 7
        case .socket: threadCount
        }
    }

    /// Calls that run or wait when one of this rank comes are fewer; one more is refused.
    static func callsMax(of rank: OperatorCallShare.Rank) -> Int {
        switch rank {
        case .viewerOrEditor: 16
        case .owner: 24
        case .socket: 32
        }
    }
}
