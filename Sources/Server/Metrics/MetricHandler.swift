import CoreMetrics

/// What keeps the values of one metric until they are scraped. Adding takes no lock.
protocol MetricHandler: AnyObject, Sendable {
    var kind: MetricFamily.Kind { get }
    /// The values now, without the labels that name this metric.
    var samples: [MetricFamily.Sample] { get }
}
