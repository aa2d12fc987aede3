import Synchronization

/// The calls of triggers that wait, by function and network: the callers of one network leave room for those of others.
final class TriggerCalls: Sendable {
    private struct Counts {
        var all = 0
        var byNetwork: [String: Int] = [:]
    }

    private let counts = Mutex<[String: Counts]>([:])

    /// Begins a call, which `end` completes. False where a network has more than its share, a quarter of the places, and
    /// half of them are taken.
    ///
    /// - Parameter countMax: The calls of one function at one time.
    func begin(_ url: String, _ network: String, countMax: Int) -> Bool {
        counts.withLock { counts in
            var known = counts[url] ?? Counts()
            guard known.all < countMax / 2 || known.byNetwork[network, default: 0] < countMax / 4 else {
                return false
            }
            known.all += 1
            known.byNetwork[network, default: 0] += 1
            counts[url] = known
            return true
        }
    }

    func end(_ url: String, _ network: String) {
        counts.withLock { counts in
            guard var known = counts[url] else { return }
            known.all -= 1
            known.byNetwork[network] = known.byNetwork[network].flatMap { $0 > 1 ? $0 - 1 : nil }
            counts[url] = known.all > 0 ? known : nil
        }
    }
}
