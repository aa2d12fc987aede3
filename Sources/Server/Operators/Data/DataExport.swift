import API
import HTTP
import JSON
import NIOPosix
import Synchronization
import Tables
import Transformer

/// Sends the items of a model as a file, page by page as the client takes it. Each page is read in a snapshot of its own.
final class DataExport: Sendable {
    private struct State {
        var position: Position?
        var isFirst = true
        var hasItems = false
        var isEnd = false
    }

    private let source: DataSource
    private let query: StoredItemQuery
    private let format: BulkCall.Format
    /// The columns that are sent, in the order of the table, or as the caller names them.
    private let positions: [Int]
    private let graphQL: OperatorGraphQL
    private let state = Mutex(State())

    init(
        _ source: DataSource, _ query: StoredItemQuery, _ format: BulkCall.Format, _ fields: [String],
        _ graphQL: OperatorGraphQL
    ) throws(OperatorProblem) {
        (self.source, self.query, self.format, self.graphQL) = (source, query, format, graphQL)
        var positions: [Int] = []
        for field in fields where !source.isRelation(field) {
            guard let position = source.table.position(of: field) else {
                throw .invalid("\(source.model.name) has no field \(LogText.excerpt(field)).", field: "fields")
            }
            positions.append(position)
        }
        let metadata = source.metadataPositions
        guard fields.isEmpty || !positions.isEmpty else {
            throw OperatorProblem(
                code: .invalid, message: "The fields are relationships, which an export does not have.",
                hint: "Name the fields that have their keys.", field: "fields")
        }
        self.positions = fields.isEmpty ? source.table.columns.indices.filter { !metadata.contains($0) } : positions
    }

    var answer: OperatorAnswer {
        var answer = OperatorAnswer(body: .null)
        answer.content = .stream(
            ResponseStream { [self] deliver in
                NIOThreadPool.singleton.submit { _ in deliver(self.part()) }
            })
        let (type, suffix) =
            switch format {
            case .csv: ("text/csv;charset=UTF-8", "csv")
            case .json: ("application/json;charset=UTF-8", "json")
            case .jsonl: ("application/x-ndjson", "jsonl")
            }
        answer.contentType = type
        answer.fields = [
            ("Content-Disposition", "attachment; filename=\"\(source.model.name).\(suffix)\""),
            ("X-Content-Type-Options", "nosniff"),
        ]
        return answer
    }

    private func part() -> ResponseStream.Part {
        let now = state.withLock { $0 }
        guard !now.isEnd else { return .end }
        let (query, position) = (query, now.position)
        let page: StoredItems.Page
        do throws(OperatorProblem) {
            page = try graphQL.read { items throws(StoreError) in
                try await items.page(query, after: position, limit: BulkLimits.pageCount)
            }
        } catch { return .failed }
        state.withLock { state in
            let hasItems = state.hasItems || !page.items.isEmpty
            state = State(position: page.next, isFirst: false, hasItems: hasItems, isEnd: page.next == nil)
        }
        var bytes = now.isFirst ? head : []
        for (index, item) in page.items.enumerated() {
            if format == .json, now.hasItems || index > 0 { bytes += Array(",\n".utf8) }
            bytes += self.bytes(item)
        }
        if page.next == nil, format == .json { bytes += Array("\n]\n".utf8) }
        return bytes.isEmpty ? part() : .bytes(bytes)
    }

    private var head: [UInt8] {
        switch format {
        case .csv: CSVWriter.line(positions.map { CSVWriter.cell(source.table.columns[$0].field) })
        case .json: Array("[\n".utf8)
        case .jsonl: []
        }
    }

    private func bytes(_ item: StoredItems.Item) -> [UInt8] {
        guard format == .csv else {
            var object: JSONObject = [:]
            for position in positions where item.values[position] != .null {
                let column = source.table.columns[position]
                object[column.field] = source.json(item.values[position], column.type)
            }
            return Array(JSONValue.object(object).description.utf8) + (format == .jsonl ? [0x0A] : [])
        }
        return CSVWriter.line(
            positions.map { position in
                switch (item.values[position], source.table.columns[position].type) {
                case (.null, _): ""
                case (.text(let text), _): CSVWriter.cell(text)
                case (.integer(let number), .boolean): number == 0 ? "false" : "true"
                case (let value, _): value.keyPart
                }
            })
    }
}
