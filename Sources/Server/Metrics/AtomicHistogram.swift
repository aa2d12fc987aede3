import CoreMetrics
import Synchronization

/// Durations by how long they were: two relaxed additions.
final class AtomicHistogram: TimerHandler, MetricHandler {
    /// The upper ends of the buckets, in nanoseconds, from a tenth of a millisecond to the longest execution.
    private static let bounds: [Int64] = [
        100_000, 250_000, 500_000, 1_000_000, 2_500_000, 5_000_000, 10_000_000, 25_000_000, 50_000_000, 100_000_000,
        250_000_000, 500_000_000, 1_000_000_000, 2_500_000_000, 5_000_000_000, 10_000_000_000, 30_000_000_000,
    ]

    /// One more than there are bounds, for what is longer than all.
    private let buckets = (0...bounds.count).map { _ in AtomicCounter() }
    private let nanoseconds = AtomicCounter()

    let kind = MetricFamily.Kind.histogram
    /// A bucket of the format holds all that is no longer than its bound, those of the lesser bounds included.
    var samples: [MetricFamily.Sample] {
        var count: Int64 = 0
        var samples: [MetricFamily.Sample] = []
        for (bound, bucket) in zip(Self.bounds.map { Self.seconds($0) } + ["+Inf"], buckets) {
            count += bucket.value
            samples.append(.init(suffix: "_bucket", labels: [("le", bound)], value: String(count)))
        }
        samples.append(.init(suffix: "_sum", value: Self.seconds(nanoseconds.value)))
        samples.append(.init(suffix: "_count", value: String(count)))
        return samples
    }

    func recordNanoseconds(_ duration: Int64) {
        let bucket = Self.bounds.firstIndex { duration <= $0 } ?? Self.bounds.count
        buckets[bucket].increment(by: 1)
        nanoseconds.increment(by: duration)
    }

    private static func seconds(_ nanoseconds: Int64) -> String { (Double(nanoseconds) / 1e9).description }
}
