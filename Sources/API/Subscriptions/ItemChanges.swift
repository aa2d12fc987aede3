import Synchronization
public import Tables
import Transformer

/// Reports the items that mutations of any caller write: the model, the key and the version, but no other value. While
/// nobody follows them, a write costs one relaxed load. Safe to use from any thread.
public final class ItemChanges: Sendable {
    /// One item that was written, after its commit.
    public struct Change: Sendable {
        /// What was done to it.
        public enum Kind: String, Sendable {
            /// It did not exist before.
            case create
            /// It existed before.
            case update
            /// It is deleted.
            case delete
        }

        /// What was done.
        public let kind: Kind
        /// The model's name.
        public let model: String
        /// The values of the primary key, in key-schema order.
        public let key: [Value]
        /// The item's version after the write; nil for a model without versions.
        public let version: Int64?
    }

    private let isFollowed = Atomic(false)
    private let receiver = Mutex<(@Sendable (Change) -> Void)?>(nil)

    /// Sets who receives the changes while they are followed. It is called on the loops of the mutations and must be short.
    public func setReceiver(_ receive: (@Sendable (Change) -> Void)?) { receiver.withLock { $0 = receive } }

    /// Begins or ends to report changes. A write whose commit is under way may still be left out.
    public func setFollowed(_ isFollowed: Bool) { self.isFollowed.store(isFollowed, ordering: .relaxed) }

    @inline(__always)
    func report(
        _ write: @autoclosure () -> Write, of plan: @autoclosure () -> WritePlan, writing item: @autoclosure () -> Item
    ) {
        guard isFollowed.load(ordering: .relaxed) else { return }
        reportChange(write(), of: plan(), writing: item())
    }

    private func reportChange(_ write: Write, of plan: WritePlan, writing item: Item) {
        guard let receive = receiver.withLock({ $0 }) else { return }
        let kind: Change.Kind =
            switch plan.kind {
            case .create: .create
            case .update: .update
            case .delete: .delete
            }
        receive(
            Change(
                kind: kind, model: plan.model.name, key: write.key, version: plan.versionPosition.map(item.integer)))
    }
}
