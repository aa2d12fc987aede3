import HTTP
import JSON
import Tables

/// What `GET /status` reports of a server.
struct OperatorStatus: Sendable {
    let mode: Service.Mode
    let startMilliseconds: Int64
    /// The data folder; nil where the data is thrown away at exit.
    let folder: String?
    let connections: @Sendable () -> HTTPStatistics?
    let store: @Sendable () -> StoreStatistics

    /// - Parameter environment: The environment's name, where it has one.
    func json(_ now: Int64, environment: String?) -> JSONObject {
        let (connections, store) = (connections(), store())
        // SQLite, "Write-Ahead Logging": what was committed last is in the log.
        let paths = folder.map { ["\($0)/tables.sqlite", "\($0)/tables.sqlite-wal"] }
        let bytes = paths?.compactMap { Files.fingerprint($0)?.size }.reduce(0, +)
        return [
            "mode": .string(mode.name), "environment": .string(environment ?? mode.name),
            "version": .string(BuildInformation.version),
            "startedAt": .string(Moment(milliseconds: startMilliseconds).text),
            "uptimeSeconds": .number(String((now - startMilliseconds) / 1_000)),
            "data": [
                "folder": folder.map(JSONValue.string) ?? .null,
                "bytes": bytes.map { .number(String($0)) } ?? .null,
            ],
            "connections": .number(String(connections?.openCount ?? 0)),
            "webSockets": .number(String(connections?.webSocketCount ?? 0)),
            "commits": .number(String(store.commits)), "waitingWrites": .number(String(store.queueCount)),
        ]
    }
}
