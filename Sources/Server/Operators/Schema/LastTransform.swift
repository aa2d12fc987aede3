import GraphQL
import JSON
import Synchronization
import Transformer

/// The outcome of the last transform for an operator. A text is often checked again right away: after an edit, for a plan, and for
/// the deployment of that plan.
///
/// One outcome is kept, with the texts and options that it is a function of. What else decides about a check, such as the files
/// beside the schema, is read each time. Used on any thread; two threads may transform at the same time.
final class LastTransform: Sendable {
    private struct Entry: Sendable {
        let sources: [Source]
        let options: TransformOptions
        let outcome: TransformOutcome

        /// Whether the texts and their names have the same bytes, and the options are equal.
        func isOutcome(of sources: [Source], _ options: TransformOptions) -> Bool {
            guard self.sources.count == sources.count, self.options == options else { return false }
            return zip(self.sources, sources).allSatisfy { $0.name.isExactly($1.name) && $0.bytes == $1.bytes }
        }
    }

    private let transform: @Sendable ([Source], TransformOptions) -> TransformOutcome
    private let last = Mutex<Entry?>(nil)

    init(
        _ transform: @escaping @Sendable ([Source], TransformOptions) -> TransformOutcome = {
            Transform.transform($0, options: $1)
        }
    ) {
        self.transform = transform
    }

    /// The outcome for a schema: the one that is kept, or that of a transform.
    func outcome(of sources: [Source], _ options: TransformOptions) -> TransformOutcome {
        if let kept = last.withLock({ $0 }), kept.isOutcome(of: sources, options) { return kept.outcome }
        let outcome = transform(sources, options)
        let isSmall = sources.reduce(0) { $0 + $1.bytes.count } <= SchemaLimits.keptTransformBytesMax
        let entry = isSmall ? Entry(sources: sources, options: options, outcome: outcome) : nil
        // The entry before is released after the lock, which can take a while.
        _ = last.withLock { last -> Entry? in
            defer { last = entry }
            return last
        }
        return outcome
    }
}
