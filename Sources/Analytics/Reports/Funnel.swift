/// Counts users who did one step after the other. Events come in the order of time.
struct Funnel {
    private let stepCount: Int
    /// In milliseconds; nil for any time.
    private let window: Int64?
    /// Where the steps of each user begin in `starts`.
    private var places: [Int64: Int] = [:]
    /// Of each user and step, when the latest chain of events began that led to it; `never` without one.
    private var starts: [Int64] = []
    /// How many users came to each step.
    private(set) var counts: [Int]

    private static let never = Int64.min

    /// - Parameter window: The milliseconds from the first to the last step, at most; nil for any.
    init(stepCount: Int, window: Int64?) {
        (self.stepCount, self.window) = (stepCount, window)
        counts = Array(repeating: 0, count: stepCount)
    }

    /// Users who came to the first step.
    var userCount: Int { places.count }

    /// Counts an event that is one of the steps, or several of them.
    ///
    /// - Parameter steps: From the last one to the first, so that one event is one step of a chain.
    mutating func count(user: Int64, time: Int64, steps: [Int]) {
        for step in steps {
            if step == 0 {
                let place = places[user] ?? begin(user)
                if starts[place] == Self.never { counts[0] += 1 }
                starts[place] = time
                continue
            }
            guard let place = places[user] else { continue }
            let start = starts[place + step - 1]
            guard start != Self.never, window.map({ time - start <= $0 }) ?? true else { continue }
            if starts[place + step] == Self.never { counts[step] += 1 }
            starts[place + step] = max(starts[place + step], start)
        }
    }

    private mutating func begin(_ user: Int64) -> Int {
        let place = starts.count
        starts += Array(repeating: Self.never, count: stepCount)
        places[user] = place
        return place
    }
}
