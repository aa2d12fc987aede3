public import JSON

/// A report: rows under columns.
public struct Report: Sendable, Hashable {
    /// The names of the columns.
    public var columns: [String]
    /// The values of each row, in the order of the columns.
    public var rows: [[JSONValue]] = []
    /// The first day with complete data, if it is later than the first day of the report.
    var completeFrom: Int64?

    init(_ columns: [String]) { self.columns = columns }

    /// The report in the format of the operators' API.
    func body(_ query: ReportQuery) -> JSONObject {
        var body: JSONObject = [
            "app": .string(query.app.id), "from": .string(ReportQuery.text(ofDay: query.from)),
            "to": .string(ReportQuery.text(ofDay: query.to)),
        ]
        if let completeFrom { body["completeFrom"] = .string(ReportQuery.text(ofDay: completeFrom)) }
        body["columns"] = .array(columns.map(JSONValue.string))
        body["items"] = .array(
            rows.map { row in .object(JSONObject(zip(columns, row).map { ($0, $1) })) })
        body["next"] = .null
        return body
    }
}

extension JSONValue {
    init(_ number: Int64) { self = .number(String(number)) }
    init(_ number: Int) { self = .number(String(number)) }

    /// A number with few decimals, for readers.
    init(rounded number: Double) {
        let rounded = (number * 1_000).rounded() / 1_000
        self = Int64(exactly: rounded).map { JSONValue($0) } ?? .number(rounded.description)
    }
}
