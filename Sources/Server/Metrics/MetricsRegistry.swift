import CoreMetrics
import Synchronization

/// Metrics by name and labels. Those of one name are a family, shown together.
///
/// Bounded: a library that puts what callers send into labels fills it; later metrics still count, but are not exposed.
final class MetricsRegistry: MetricsFactory {
    /// The process's metrics: those of any library that speaks swift-metrics. Asking for it the first time makes it
    /// the system's, which may be done once in a process.
    static let process: MetricsRegistry = {
        let registry = MetricsRegistry()
        MetricsSystem.bootstrap(registry)
        return registry
    }()

    static let seriesMax = 2_000

    private struct Series {
        var name: String
        var help: String
        var labels: [(name: String, value: String)]
        var handler: any MetricHandler
    }

    private struct State {
        var series: [String: Series] = [:]
        /// What a name is, from the first that bears it on: a family has one type.
        var kinds: [String: MetricFamily.Kind] = [:]
    }

    private let state = Mutex(State())

    /// The families in the order of their names.
    var families: [MetricFamily] {
        let all = state.withLock { state in state.series.sorted { $0.key < $1.key }.map(\.value) }
        var families: [MetricFamily] = []
        for series in all {
            let samples = series.handler.samples.map { sample in
                var sample = sample
                sample.labels = series.labels + sample.labels
                return sample
            }
            if families.last?.name == series.name {
                families[families.count - 1].samples += samples
            } else {
                families.append(
                    MetricFamily(
                        name: series.name, kind: series.handler.kind, help: series.help, samples: samples))
            }
        }
        return families
    }

    /// The metric of this name and these labels, made by `make` when there is none. One of another type than its name
    /// has counts for itself.
    func handler<Handler: MetricHandler>(
        _ name: String, _ labels: [(String, String)] = [], help: String = "", _ make: () -> Handler
    ) -> Handler {
        // A control character keeps the families together and stands in no honest name.
        let key = ([name] + labels.flatMap { [$0.0, $0.1] }).joined(separator: "\u{1}")
        return state.withLock { state in
            if let known = state.series[key]?.handler as? Handler { return known }
            let handler = make()
            guard state.series.count < Self.seriesMax, state.kinds[name] ?? handler.kind == handler.kind else {
                return handler
            }
            state.kinds[name] = handler.kind
            state.series[key] = Series(
                name: name, help: help, labels: labels.map { (name: $0.0, value: $0.1) }, handler: handler)
            return handler
        }
    }

    private func forget(_ handler: any MetricHandler) {
        state.withLock { state in
            guard let (key, series) = state.series.first(where: { $0.value.handler === handler }) else { return }
            state.series[key] = nil
            // Without any that bears it, a name is free again, and is not kept.
            if !state.series.values.contains(where: { $0.name == series.name }) { state.kinds[series.name] = nil }
        }
    }
}

// MARK: - swift-metrics

extension MetricsRegistry {
    func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        handler(label, dimensions) { AtomicCounter() }
    }

    func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        if aggregate { return handler(label, dimensions) { AtomicSummary() } }
        return handler(label, dimensions) { AtomicGauge() }
    }

    func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        handler(label, dimensions) { AtomicHistogram() }
    }

    func destroyCounter(_ handler: any CounterHandler) { destroy(handler) }

    func destroyRecorder(_ handler: any RecorderHandler) { destroy(handler) }

    func destroyTimer(_ handler: any TimerHandler) { destroy(handler) }

    private func destroy(_ handler: AnyObject) {
        if let handler = handler as? any MetricHandler { forget(handler) }
    }
}
