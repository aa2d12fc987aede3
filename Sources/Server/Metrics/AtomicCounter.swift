import CoreMetrics
import Synchronization

/// A count that only grows: one relaxed addition.
final class AtomicCounter: CounterHandler, MetricHandler {
    private let count = Atomic<Int64>(0)

    let kind = MetricFamily.Kind.counter
    var value: Int64 { count.load(ordering: .relaxed) }
    var samples: [MetricFamily.Sample] { [.init(value: String(value))] }

    func increment(by amount: Int64) { count.wrappingAdd(amount, ordering: .relaxed) }

    func reset() { count.store(0, ordering: .relaxed) }
}
