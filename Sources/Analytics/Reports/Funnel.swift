/// Counts users who completed the steps in order. Events are added in the order of their times.
struct Funnel {
    private let stepCount: Int
    /// In milliseconds; nil for no bound.
    private let window: Int64?
    /// The index of each user's first step in `starts`.
    private var places: [Int64: Int] = [:]
    /// For each user and step, the start of the latest chain of events that led to it; `never` without one.
    private var starts: [Int64] = []
    /// The number of users who reached each step.
    private(set) var counts: [Int]

    private static let never = Int64.min

    /// - Parameter window: Maximum milliseconds from the first to the last step; nil for no bound.
    init(stepCount: Int, window: Int64?) {
        (self.stepCount, self.window) = (stepCount, window)
        counts = Array(repeating: 0, count: stepCount)
    }

    /// The number of users who reached the first step.
    var userCount: Int { places.count }

    /// Counts an event that matches one or several steps.
    ///
    /// - Parameter steps: From the last one to the first, so that one event counts as one step of a chain.
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
