import API
import HTTP
import Synchronization
import Tables

/// The counters of one service: those it keeps itself, and those that the targets below keep and report on request.
final class ServerMetrics: Sendable {
    /// What is counted elsewhere, as it stands at a scrape.
    struct Readings: Sendable {
        var connections: HTTPStatistics
        var store: StoreStatistics
        /// One of each event loop.
        var loops: [LoopStatistics]
        /// Answers by operation.
        var operations: [OperationCounters.Reading]
    }

    private let registry = MetricsRegistry()
    /// Those of any library in the process.
    private let process = MetricsRegistry.process
    /// By route, the unknown ones last; of each, by class of status, from 2xx to 5xx.
    private let requests: [AtomicCounter]
    private let graphQLRoute: Int?
    private let graphQLDuration: AtomicHistogram
    private let droppedEvents: AtomicCounter
    private let source = Mutex<(@Sendable () -> Readings)?>(nil)

    init(routes: [Route]) {
        let registry = registry
        requests = (routes.map { "\($0.path)" } + ["other"]).flatMap { path in
            (2...5).map { digit in
                registry.handler(
                    "syncline_http_requests_total", [("route", path), ("status", "\(digit)xx")],
                    help: "Requests answered, by path and class of status."
                ) { AtomicCounter() }
            }
        }
        graphQLRoute = routes.first { $0.endpoint is GraphQLEndpoint }?.index
        graphQLDuration = registry.handler(
            "syncline_graphql_request_duration_seconds",
            help: "Time from a whole GraphQL request to its answer."
        ) { AtomicHistogram() }
        droppedEvents = registry.handler(
            "syncline_subscription_events_dropped_total", help: "Events too large for a subscriber."
        ) { AtomicCounter() }
    }

    /// Counts an answer. Without a route it is counted as `other`; without a duration it was not measured.
    func countAnswer(route: Int?, status: Int, nanoseconds: Int64?) {
        let statusClass = min(max(status / 100, 2), 5) - 2
        let first = route.map { $0 * 4 } ?? requests.count - 4
        requests[first + statusClass].increment(by: 1)
        if let nanoseconds, route != nil, route == graphQLRoute { graphQLDuration.recordNanoseconds(nanoseconds) }
    }

    /// Counts errors by their types.
    func countErrors(_ errorTypes: [String]) {
        let counts: [String: Int] = errorTypes.reduce(into: [:]) { $0[$1, default: 0] += 1 }
        for (type, count) in counts {
            registry.handler(
                "syncline_errors_total", [("type", type)], help: "Errors in answers, by errorType."
            ) { AtomicCounter() }.increment(by: Int64(count))
        }
    }

    /// Counts an event that was too large for a subscriber.
    func eventDropped() { droppedEvents.increment(by: 1) }

    /// Says where to read what is counted elsewhere; `nil` once the service ends.
    func read(from source: (@Sendable () -> Readings)?) { self.source.withLock { $0 = source } }

    /// All that is counted, in Prometheus' text format.
    var text: String {
        var text = PrometheusText()
        let readings = source.withLock { $0 }?()
        let own = registry.families + (readings.map { $0.families + $0.operationFamilies } ?? [])
        for family in [BuildInformation.family] + own + ProcessFigures().families + process.families {
            text.write(family)
        }
        return text.text
    }
}

extension ServerMetrics.Readings {
    fileprivate var families: [MetricFamily] {
        [
            counter("plan_cache_hits_total", "Requests whose plan was kept.", sum(\.planHitCount)),
            counter("plan_cache_misses_total", "Requests whose document was read anew.", sum(\.planMissCount)),
            gauge("plan_cache_plans", "Plans kept, over all event loops.", sum(\.planCount)),
            counter("sqlite_commits_total", "Transactions committed.", Int(clamping: store.commits)),
            counter("sqlite_writes_total", "Writes carried out.", Int(clamping: store.writes)),
            counter("sqlite_checkpoints_total", "Checkpoints run.", Int(clamping: store.checkpoints)),
            gauge("sqlite_write_queue_length", "Writes waiting or at work.", store.queueCount),
            gauge("sqlite_log_pages", "Pages in the write-ahead log after the last commit.", store.logPages),
            counter(
                "sqlite_reads_handed_to_workers_total", "Reads that were too long for their event loop.",
                sum(\.readHandedToWorkerCount)),
            counter(
                "sqlite_reads_moved_off_total", "The earlier name of sqlite_reads_handed_to_workers_total.",
                sum(\.readHandedToWorkerCount)),
            gauge("subscriptions_open", "Subscriptions open now.", sum(\.subscriptionCount)),
            counter("subscription_events_total", "Events given to subscriptions.", sum(\.eventDeliveredCount)),
            gauge("websockets_open", "WebSockets open now.", connections.webSocketCount),
            gauge("connections_open", "Connections open now.", connections.openCount),
            counter("connections_accepted_total", "Connections accepted.", connections.acceptedCount),
            counter("connections_refused_total", "Connections that were one too many.", connections.refusedCount),
            counter("tls_handshakes_total", "TLS handshakes that were completed.", connections.handshakeCount),
            counter(
                "tls_handshakes_failed_total", "TLS handshakes that came to nothing.",
                connections.failedHandshakeCount),
        ]
    }

    /// By operation: how many, how many with errors, and how long they took together.
    fileprivate var operationFamilies: [MetricFamily] {
        func family(
            _ name: String, _ help: String, _ value: (OperationCounters.Reading) -> String
        ) -> MetricFamily {
            MetricFamily(
                name: "syncline_graphql_\(name)", kind: .counter, help: help,
                samples: operations.map { operation in
                    .init(
                        labels: [("operation", operation.name), ("type", operation.type)],
                        value: value(operation))
                })
        }
        guard !operations.isEmpty else { return [] }
        return [
            family("operations_total", "Operations answered, by name.") { String($0.count) },
            family("operation_errors_total", "Operations answered with errors, by name.") { String($0.failureCount) },
            family("operation_duration_seconds_total", "Time from request to answer, summed by operation.") {
                String(Double($0.nanoseconds) / 1_000_000_000)
            },
        ]
    }

    private func sum(_ count: (LoopStatistics) -> Int) -> Int { loops.reduce(0) { $0 + count($1) } }

    private func counter(_ name: String, _ help: String, _ value: Int) -> MetricFamily {
        MetricFamily(name: "syncline_\(name)", kind: .counter, help: help, samples: [.init(value: String(value))])
    }

    private func gauge(_ name: String, _ help: String, _ value: Int) -> MetricFamily {
        MetricFamily(name: "syncline_\(name)", kind: .gauge, help: help, samples: [.init(value: String(value))])
    }
}
