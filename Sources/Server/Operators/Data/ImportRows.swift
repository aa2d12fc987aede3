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
        case csv(columns: [String?])
        /// Where the elements are.
        case list([Range<Int>])
        case lines
    }

    private let body: ImportBody
    private let content: Content
    private let source: DataSource
    private let columns: [String: String?]
    /// The fields that are written; empty where each row has its own.
    let fields: [String]
    /// How many rows there are.
    let count: Int

    /// Reads what must be right of the whole file, and refuses one with too many rows, or with a row that is too large, as soon as it
    /// is found.
    init(_ request: BulkCall.Import, _ source: DataSource) throws(OperatorProblem) {
        (self.source, columns, body) = (source, request.columns, request.body)
        switch request.format {
        case .csv:
            var reader = CSVRecords(body.bytes)
            guard let header = reader.next() else {
                if let line = reader.largeLine { throw .largeRow("The record of line \(line)") }
                throw .invalid("The file has no header row.", field: nil)
            }
            let names = header.fields.map { field in
                let name = field.text.trimmingSpaces
                return request.columns[name] ?? .some(name)
            }
            let used = names.compactMap(\.self)
            for name in used where !source.isImported(name) && !source.isReadOnly(name) {
                throw OperatorProblem(
                    code: .invalid, message: "\(source.model.name) has no field \(LogText.excerpt(name)).",
                    hint: "Leave the column out with 'columns', or name its field.", field: LogText.excerpt(name))
            }
            guard Set(used).count == used.count else {
                throw .invalid("Two columns are assigned to the same field.", field: nil)
            }
            var count = 0
            while reader.skip() { try Self.countRow(&count) }
            if let line = reader.largeLine { throw .largeRow("The record of line \(line)") }
            content = .csv(columns: names)
            (fields, self.count) = (used, count)
        case .json:
            let elements = try Self.elements(of: body.bytes)
            (content, fields, count) = (.list(elements), [], elements.count)
        case .jsonl:
            var (lines, count) = (ImportLines(body.bytes), 0)
            while let line = lines.next() {
                guard line.range.count <= BulkLimits.rowBytesMax else { throw .largeRow("Line \(line.number)") }
                try Self.countRow(&count)
            }
            (content, fields, self.count) = (.lines, [], count)
        }
    }

    private static func countRow(_ count: inout Int) throws(OperatorProblem) {
        count += 1
        guard count <= BulkLimits.rowsMax else {
            throw .tooLarge("An import has at most \(BulkLimits.rowsMax) rows.", field: nil)
        }
    }

    /// Where the elements of a list are. They are checked, and not built.
    private static func elements(of bytes: [UInt8]) throws(OperatorProblem) -> [Range<Int>] {
        // Memory safety: the scanner is used inside the closure that borrows the bytes.
        try unsafe bytes.withUnsafeBufferPointer { (bytes) throws(OperatorProblem) -> [Range<Int>] in
            var scanner = unsafe JSONScanner(UnsafeRawBufferPointer(bytes))
            return try elements(&scanner)
        }
    }

    private static func elements(_ scanner: inout JSONScanner) throws(OperatorProblem) -> [Range<Int>] {
        let isList: Bool
        do throws(JSONError) {
            isList = try scanner.peekKind() == .array
            if isList {
                try scanner.beginArray()
            } else {
                try scanner.skipValue()
                try scanner.finish()
            }
        } catch { throw .notJSON(error) }
        guard isList else { throw .invalid("The file is not a list.", field: nil) }
        var (elements, count): ([Range<Int>], Int) = ([], 0)
        while let element = try nextElement(&scanner) {
            guard element.count <= BulkLimits.rowBytesMax else { throw .largeRow("Element \(count + 1)") }
            try countRow(&count)
            elements.append(element)
        }
        return elements
    }

    /// Where the next element is; nil after the last one, if nothing follows the list.
    private static func nextElement(_ scanner: inout JSONScanner) throws(OperatorProblem) -> Range<Int>? {
        do throws(JSONError) {
            if try scanner.nextElement() { return try scanner.skipValue() }
            try scanner.finish()
            return nil
        } catch { throw .notJSON(error) }
    }

    /// Reads the rows in their order, some at one time.
    func forEach(_ batch: Int, _ body: ([Row]) throws(OperatorProblem) -> Void) throws(OperatorProblem) {
        var (rows, byteCount): ([Row], Int) = ([], 0)
        func add(_ row: Row) throws(OperatorProblem) {
            rows.append(row)
            byteCount += row.text.utf8.count
            guard rows.count == batch || byteCount >= BulkLimits.batchBytesMax else { return }
            try body(rows)
            (rows, byteCount) = ([], 0)
        }
        let bytes = self.body.bytes
        switch content {
        case .csv(let columns):
            var reader = CSVRecords(bytes)
            _ = reader.next()
            while let record = reader.next() { try add(row(record, columns)) }
        case .list(let elements):
            for (index, range) in elements.enumerated() {
                try add(row(ofJSON: bytes[range], line: index + 1, "The element is not JSON."))
            }
        case .lines:
            var lines = ImportLines(bytes)
            while let line = lines.next() {
                try add(row(ofJSON: bytes[line.range], line: line.number, "The line is not JSON."))
            }
        }
        if !rows.isEmpty { try body(rows) }
    }

    private func row(ofJSON bytes: ArraySlice<UInt8>, line: Int, _ problem: String) -> Row {
        let text = String(decoding: bytes, as: UTF8.self)
        guard let value = try? JSONReader.read(Array(bytes)) else {
            return Row(line: line, problem: (nil, problem), text: text)
        }
        return row(value, line: line, text)
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

extension OperatorProblem {
    fileprivate static func notJSON(_ error: JSONError) -> OperatorProblem {
        .invalid("The file is not JSON: \(error.message)", field: nil)
    }

    fileprivate static func largeRow(_ row: String) -> OperatorProblem {
        .tooLarge(
            "\(row) is too large: a row has at most \(BulkLimits.cellsMax) cells and \(BulkLimits.rowBytesMax) bytes.",
            field: nil)
    }
}

extension String {
    fileprivate var trimmingSpaces: String {
        String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
}
