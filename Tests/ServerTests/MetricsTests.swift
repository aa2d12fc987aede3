import CoreMetrics
import Testing

@testable import Server

@Suite("Metrics")
struct MetricsTests {
    private func text(_ registry: MetricsRegistry) -> String {
        var text = PrometheusText()
        for family in registry.families { text.write(family) }
        return text.text
    }

    @Test("metrics recorded by swift-metrics are shown in Prometheus' format")
    func exposition() {
        let registry = MetricsRegistry()
        let counter = Counter(label: "jobs.done", dimensions: [("kind", "a\"b\\c\nd")], factory: registry)
        counter.increment(by: 3)
        Counter(label: "jobs.done", dimensions: [("kind", "other")], factory: registry).increment()
        Gauge(label: "depth", factory: registry).record(2.5)
        let recorder = Recorder(label: "sizes", factory: registry)
        for size in [1, 2, 4] { recorder.record(size) }
        FloatingPointCounter(label: "9lives", factory: registry).increment(by: 2.75)
        let timer = Timer(label: "wait", factory: registry)
        for nanoseconds in [100_000, 100_001, 40_000_000_000] as [Int64] { timer.recordNanoseconds(nanoseconds) }
        let lines = text(registry).split(separator: "\n").map(String.init)
        let expected = [
            "# TYPE _9lives counter", "_9lives 2", "# TYPE depth gauge", "depth 2.5", "# TYPE jobs_done counter",
            #"jobs_done{kind="a\"b\\c\nd"} 3"#, #"jobs_done{kind="other"} 1"#, "# TYPE sizes summary", "sizes_sum 7.0",
            "sizes_count 3", "# TYPE wait histogram", #"wait_bucket{le="0.0001"} 1"#, #"wait_bucket{le="0.00025"} 2"#,
        ]
        #expect(Array(lines.prefix(expected.count)) == expected)
        #expect(
            lines.suffix(4) == [
                #"wait_bucket{le="30.0"} 2"#, #"wait_bucket{le="+Inf"} 3"#, "wait_sum 40.000200001", "wait_count 3",
            ])
    }

    @Test("a metric is one by its name and labels, is forgotten when destroyed, and keeps its type")
    func identity() {
        let registry = MetricsRegistry()
        for _ in 0..<3 { Counter(label: "c", dimensions: [("a", "1")], factory: registry).increment() }
        #expect(text(registry) == "# TYPE c counter\nc{a=\"1\"} 3\n")
        Gauge(label: "c", factory: registry).record(7)
        Gauge(label: "c", dimensions: [("a", "1")], factory: registry).record(7)
        #expect(!text(registry).contains("7"), "a name has one type")
        Counter(label: "c", dimensions: [("a", "1")], factory: registry).destroy()
        #expect(!text(registry).contains("3"))
    }

    @Test("there is a bound on how many metrics are shown, and none on counting")
    func bound() {
        let registry = MetricsRegistry()
        for number in 0..<MetricsRegistry.seriesMax + 50 {
            Counter(label: "c", dimensions: [("n", "\(number)")], factory: registry).increment()
        }
        #expect(registry.families.first?.samples.count == MetricsRegistry.seriesMax)
    }

    @Test("the process's metrics are the system's: any library's counters are shown")
    func process() async throws {
        try await TestServer.with { server in
            Counter(label: "some.library.events").increment(by: 5)
            let answer = try server.connect().ask("GET", "/metrics", headers: ["Host": "localhost"])
            #expect(answer.body.contains("\nsome_library_events 5\n"))
        }
    }

    @Test("operations are counted by name, on all loops together, with errors and durations; names are bounded")
    func operations() async throws {
        try await TestServer.with {
            $0.limits.operationNameCountMax = 3
        } _: { server in
            // One connection a loop and more: each loop counts on its own.
            let clients = try (0..<4).map { _ in try server.connect() }
            for client in clients {
                for query in [
                    "query List { listUsers { items { id } } }", "{ __typename }",
                    #"mutation Fail { deleteUser(input: {id: "nobody"}) { id } }"#, "query Nope { nope }",
                    "query Late { __typename }", "query Later { __typename }",
                ] { _ = try client.graphql(query) }
            }
            let answer = try clients[0].ask("GET", "/metrics", headers: ["Host": "localhost"])
            let lines = Set(answer.body.split(separator: "\n").map(String.init))
            for line in [
                #"syncline_graphql_operations_total{operation="List",type="query"} 4"#,
                #"syncline_graphql_operations_total{operation="anonymous",type="query"} 4"#,
                #"syncline_graphql_operations_total{operation="Fail",type="mutation"} 4"#,
                #"syncline_graphql_operation_errors_total{operation="Fail",type="mutation"} 4"#,
                #"syncline_graphql_operation_errors_total{operation="List",type="query"} 0"#,
                #"syncline_graphql_operations_total{operation="other",type="query"} 8"#,
            ] { #expect(lines.contains(line), "\(line)\n\(answer.body)") }
            let start = #"syncline_graphql_operation_duration_seconds_total{operation="List",type="query"} "#
            let seconds = lines.first { $0.hasPrefix(start) }.flatMap { Double($0.dropFirst(start.count)) }
            let total = try #require(seconds)
            #expect(total > 0 && total < 60)
            #expect(!answer.body.contains(#"operation="Nope""#), "what is never planned has no name here")
        }
    }

    @Test("the process and the build are described as in other programs")
    func processFigures() async throws {
        try await TestServer.with { server in
            let answer = try server.connect().ask("GET", "/metrics", headers: ["Host": "localhost"])
            let version = BuildInformation.version
            #expect(answer.body.contains(#"syncline_build_info{version="\#(version)",swift="6."#))
            func value(_ name: String) throws -> Double {
                let line = answer.body.split(separator: "\n").first { $0.hasPrefix("\(name) ") }
                return try #require(line?.split(separator: " ").last.flatMap { Double($0) }, "no \(name)")
            }
            #expect(try value("process_cpu_seconds_total") > 0)
            #expect(try value("process_max_fds") > value("process_open_fds"))
            #expect(try value("process_open_fds") > 3)
            #if os(Linux)
            #expect(try value("process_resident_memory_bytes") > 1_000_000)
            let age = try Double(Moment.now.milliseconds) / 1000 - value("process_start_time_seconds")
            #expect(age > -2 && age < 86_400)
            #endif
        }
    }

    @Test("a server counts requests, errors, plans, writes and connections")
    func server() async throws {
        try await TestServer.with({ $0.limits.eventLoopCount = 1 }) { server in
            let client = try server.connect()
            for query in ["{ __typename }", "{ __typename }", "{ nope }", "{ nope nope2 }"] {
                _ = try client.graphql(query)
            }
            for id in ["a", "b"] {
                _ = try client.graphql(#"mutation { createUser(input: {id: "\#(id)", username: "A"}) { id } }"#)
            }
            _ = try client.graphql(#"mutation { deleteUser(input: {id: "nobody"}) { id } }"#)
            _ = try client.ask(headers: [:])
            _ = try client.ask("GET", "/nowhere")
            let broken = try server.connect()
            try broken.send("GET\r\n\r\n")
            _ = try broken.receive()
            let answer = try client.ask("GET", "/metrics", headers: ["Host": "localhost"])
            #expect(answer["Content-Type"] == ["text/plain; version=0.0.4; charset=utf-8"])
            let lines = Set(answer.body.split(separator: "\n").map(String.init))
            for line in [
                #"syncline_http_requests_total{route="/graphql",status="2xx"} 7"#,
                #"syncline_http_requests_total{route="/graphql",status="4xx"} 1"#,
                #"syncline_http_requests_total{route="other",status="4xx"} 2"#,
                #"syncline_http_requests_total{route="/metrics",status="2xx"} 0"#,
                #"syncline_errors_total{type="request"} 3"#,
                #"syncline_errors_total{type="DynamoDB:ConditionalCheckFailedException"} 1"#,
                #"syncline_errors_total{type="UnknownOperationException"} 1"#,
                #"syncline_errors_total{type="MalformedHttpRequestException"} 2"#,
                #"syncline_graphql_request_duration_seconds_bucket{le="+Inf"} 8"#,
                "syncline_graphql_request_duration_seconds_count 8",
                "syncline_plan_cache_hits_total 1", "syncline_plan_cache_misses_total 6", "syncline_plan_cache_plans 4",
                "syncline_sqlite_write_queue_length 0",
                "syncline_sqlite_reads_handed_to_workers_total 0", "syncline_sqlite_reads_moved_off_total 0",
                "syncline_connections_accepted_total 2",
                "syncline_connections_refused_total 0", "# TYPE syncline_connections_open gauge",
                "# TYPE syncline_sqlite_commits_total counter", "# TYPE syncline_sqlite_log_pages gauge",
                "# TYPE syncline_graphql_request_duration_seconds histogram",
            ] { #expect(lines.contains(line), "\(line)\n\(answer.body)") }
            // User pools write, too: at the start, and when they remove what has ended.
            let writes = "syncline_sqlite_writes_total "
            let count = lines.first { $0.hasPrefix(writes) }.flatMap { Int($0.dropFirst(writes.count)) }
            #expect(try #require(count) >= 3)
        }
    }
}
