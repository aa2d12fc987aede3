import Encodings
import JSON
import Synchronization

/// When and to whom a configuration file of a client was last given.
final class PullRecord: Sendable {
    private let last = Mutex<(milliseconds: Int64, address: String)?>(nil)

    /// Notes that a file was given now.
    func note(_ address: String) { last.withLock { $0 = (Moment.now.milliseconds, address) } }

    /// `at` and `from`; null where none was given since the start.
    var json: JSONValue {
        guard let (milliseconds, address) = last.withLock({ $0 }) else { return .null }
        return ["at": .string(Moment(milliseconds: milliseconds).text), "from": .string(address)]
    }
}
