import JSON
import Transformer

/// The rows of an import, each as the input of a create mutation or as the reason why it is none.
struct ImportRows: Sendable {
    struct Row: Sendable {
        /// Where it begins: a line of CSV or JSON lines, an element of a list.
        var line: Int
        var input: JSONObject = [:]
        var problem: (field: String?, reason: String)?
        /// As it was sent; an element of a list as JSON without spaces.
        var text: String
    }

    private enum Content: Sendable {
        case csv([UInt8], columns: [String?])
        case list([JSONValue])
        case lines([UInt8])
    }

    private let content: Content
    private let source: DataSource
    private let columns: [String: String?]
    /// The fields that are written; empty where each row has its own.
    let fields: [String]
    /// How many rows there are.
    let count: Int

    /// Reads what must be right of the whole file.
    init(_ request: BulkCall.Import, _ source: DataSource) throws(OperatorProblem) {
        (self.source, columns) = (source, request.columns)
        switch request.format {
        case .csv:
            var reader = CSVRecords(request.bytes)
            guard let header = reader.next() else { throw .invalid("The file has no header row.", field: nil) }
            let names = header.fields.map { field in
                let name = field.text.trimmingSpaces
                return request.columns[name] ?? .some(name)
            }
            let used = names.compactMap(\.self)
            for name in used where !source.isImported(name) && !source.isReadOnly(name) {
                throw OperatorProblem(
                    code: .invalid, message: "\(source.model.name) has no field \(LogText.excerpt(name)).",
                    hint: "Leave the column out with 'columns', or name its field.", field: name)
            }
            guard Set(used).count == used.count else {
                throw .invalid("Two columns are assigned to the same field.", field: nil)
            }
            var count = 0
            while reader.next() != nil { count += 1 }
            content = .csv(request.bytes, columns: names)
            (fields, self.count) = (used, count)
        case .json:
            let value: JSONValue
            do { value = try JSONReader.read(request.bytes) } catch {
                throw .invalid("The file is not JSON: \(error.message)", field: nil)
            }
            guard let elements = value.arrayValue else { throw .invalid("The file is not a list.", field: nil) }
            (content, fields, count) = (.list(elements), [], elements.count)
        case .jsonl:
            content = .lines(request.bytes)
            fields = []
            count = request.bytes.split(separator: 0x0A).count {
                !$0.allSatisfy { $0 == 0x20 || $0 == 0x0D || $0 == 0x09 }
            }
        }
        guard count <= BulkLimits.rowsMax else {
            throw .tooLarge("An import has at most \(BulkLimits.rowsMax) rows.", field: nil)
        }
    }

    /// Reads the rows in their order, some at one time.
    func forEach(_ batch: Int, _ body: ([Row]) throws(OperatorProblem) -> Void) throws(OperatorProblem) {
        var rows: [Row] = []
        func add(_ row: Row) throws(OperatorProblem) {
            rows.append(row)
            guard rows.count == batch else { return }
            try body(rows)
            rows = []
        }
        switch content {
        case .csv(let bytes, let columns):
            var reader = CSVRecords(bytes)
            _ = reader.next()
            while let record = reader.next() { try add(row(record, columns)) }
        case .list(let elements):
            for (index, element) in elements.enumerated() {
                try add(row(element, line: index + 1, element.description))
            }
        case .lines(let bytes):
            var line = 0
            for part in bytes.split(separator: 0x0A, omittingEmptySubsequences: false) {
                line += 1
                guard !part.allSatisfy({ $0 == 0x20 || $0 == 0x0D || $0 == 0x09 }) else { continue }
                let text = String(decoding: part, as: UTF8.self)
                if let value = try? JSONReader.read(Array(part)) {
                    try add(row(value, line: line, text))
                } else {
                    try add(Row(line: line, problem: (nil, "The line is not JSON."), text: text))
                }
            }
        }
        if !rows.isEmpty { try body(rows) }
    }

    private func row(_ record: CSVRecords.Record, _ columns: [String?]) -> Row {
        var row = Row(line: record.line, text: record.text)
        guard record.fields.count <= columns.count else {
            row.problem = (nil, "The line has \(record.fields.count) cells for \(columns.count) columns.")
            return row
        }
        for (column, field) in zip(columns, record.fields) {
            guard let column, source.isImported(column) else { continue }
            let text = CSVWriter.text(ofCell: field.text)
            guard !text.isEmpty || field.isQuoted && source.isText(column) else { continue }
            guard let value = source.value(ofText: text, for: column) else {
                row.problem = row.problem ?? (column, "'\(LogText.excerpt(text))' is not a valid value for \(column).")
                continue
            }
            row.input[column] = value
        }
        return row
    }

    private func row(_ value: JSONValue, line: Int, _ text: String) -> Row {
        var row = Row(line: line, text: text)
        guard let members = value.objectValue else {
            row.problem = (nil, "The element is not an object.")
            return row
        }
        for (name, value) in members {
            guard let field = columns[name] ?? .some(name) else { continue }
            if source.isImported(field) {
                row.input[field] = value
            } else if !source.isReadOnly(field) {
                row.problem = row.problem ?? (field, "\(source.model.name) has no field \(LogText.excerpt(field)).")
            }
        }
        return row
    }
}

extension String {
    fileprivate var trimmingSpaces: String {
        String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
}
