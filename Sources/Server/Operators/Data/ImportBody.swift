import Synchronization

/// The body of an import. It counts among the bytes that all imports hold until the call has been refused or its job has ended.
final class ImportBody: Sendable, Equatable {
    /// The bytes that are held, and how many may be.
    final class Share: Sendable {
        private let held = Atomic(0)
        private let bytesMax: Int

        init(bytesMax: Int) { self.bytesMax = bytesMax }

        /// Whether there was room for so many; if so, they are to be removed.
        fileprivate func add(_ count: Int) -> Bool {
            guard held.add(count, ordering: .relaxed).newValue <= bytesMax else {
                remove(count)
                return false
            }
            return true
        }

        fileprivate func remove(_ count: Int) { held.subtract(count, ordering: .relaxed) }
    }

    /// That of the process, whose memory it bounds.
    static let share = Share(bytesMax: BulkLimits.heldBytesMax)

    let bytes: [UInt8]
    private let share: Share

    /// - Throws: If other imports hold too many bytes.
    init(_ bytes: [UInt8], in share: Share = ImportBody.share) throws(OperatorProblem) {
        guard share.add(bytes.count) else { throw .tooManyBodies }
        (self.bytes, self.share) = (bytes, share)
    }

    deinit { share.remove(bytes.count) }

    static func == (left: ImportBody, right: ImportBody) -> Bool { left.bytes == right.bytes }
}

extension OperatorProblem {
    fileprivate static let tooManyBodies = OperatorProblem(
        code: .limited, message: "Other imports are under way whose files are large. Try again when one has ended.")
}
