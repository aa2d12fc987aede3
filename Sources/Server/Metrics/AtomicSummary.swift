import CoreMetrics
import Synchronization

/// Values that are summed up and counted.
final class AtomicSummary: RecorderHandler, MetricHandler {
    private let count = AtomicCounter()
    private let sumBits = Atomic<UInt64>(0)

    let kind = MetricFamily.Kind.summary
    var samples: [MetricFamily.Sample] {
        let sum = Double(bitPattern: sumBits.load(ordering: .relaxed))
        return [.init(suffix: "_sum", value: sum.description), .init(suffix: "_count", value: String(count.value))]
    }

    func record(_ value: Int64) { record(Double(value)) }

    func record(_ value: Double) {
        count.increment(by: 1)
        var known = sumBits.load(ordering: .relaxed)
        while true {
            let sum = (Double(bitPattern: known) + value).bitPattern
            let (exchanged, original) = sumBits.compareExchange(expected: known, desired: sum, ordering: .relaxed)
            if exchanged { return }
            known = original
        }
    }
}
