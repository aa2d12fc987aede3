import CoreMetrics
import Synchronization

/// The value that was recorded last.
final class AtomicGauge: RecorderHandler, MetricHandler {
    private let bits = Atomic<UInt64>(0)

    let kind = MetricFamily.Kind.gauge
    var samples: [MetricFamily.Sample] {
        [.init(value: Double(bitPattern: bits.load(ordering: .relaxed)).description)]
    }

    func record(_ value: Int64) { record(Double(value)) }

    func record(_ value: Double) { bits.store(value.bitPattern, ordering: .relaxed) }
}
