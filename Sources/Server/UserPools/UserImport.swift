public import JSON

/// Users out of another pool's files: Cognito's CSV with a line of headers, the JSON of `list-users`, or a user of JSON on
/// each line.
public struct UserImport: Sendable {
    /// A user of the file.
    public struct User: Sendable, Hashable {
        /// Where it stands, such as `Line 3`.
        public var place: String
        /// An element of the `Users` of `ImportUsers`.
        public var body: JSONObject
    }

    /// What of the file cannot be a user.
    public struct Problem: Sendable, Hashable {
        /// Where it stands.
        public var place: String
        /// What is wrong, as a sentence.
        public var message: String
    }

    /// The users in the order of the file.
    public private(set) var users: [User] = []
    /// What was not read.
    public private(set) var problems: [Problem] = []
    /// What a row of CSV without a user name may be named by.
    private let usernameAttributes: [String]

    /// Reads a file.
    ///
    /// - Parameter usernameAttributes: Those of the pool: their values stand for user names that a row does not have.
    /// - Throws: If the file as a whole is none of the three.
    public init(_ bytes: [UInt8], usernameAttributes: [String] = []) throws(ServerError) {
        self.usernameAttributes = usernameAttributes
        let bytes = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes[3...]) : bytes
        if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
            throw ServerError(.usage, "The file is text in UTF-16.", hint: "Save it as UTF-8.")
        }
        let space = " \t\r\n".utf8
        guard let first = bytes.first(where: { !space.contains($0) }) else { return }
        if first == UInt8(ascii: "{") || first == UInt8(ascii: "[") {
            let value = try? JSONReader.read(bytes)
            if let list = value?["Users"]?.arrayValue ?? value?.arrayValue {
                for (index, element) in list.enumerated() { add(element, at: "User \(index + 1)") }
            } else {
                addLines(bytes)
            }
        } else {
            try addRecords(bytes)
        }
    }

    // MARK: JSON

    private mutating func addLines(_ bytes: [UInt8]) {
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() where !line.allSatisfy({ " \t\r".utf8.contains($0) }) {
            let place = "Line \(index + 1)"
            if let value = try? JSONReader.read(Array(line)) {
                add(value, at: place)
            } else {
                problems.append(Problem(place: place, message: "It is no JSON."))
            }
        }
    }

    private mutating func add(_ value: JSONValue, at place: String) {
        guard let username = value["Username"]?.stringValue, !username.isEmpty else {
            return problems.append(
                Problem(place: place, message: "It is no user as 'list-users' has it: there is no 'Username'."))
        }
        let attributes = value["Attributes"] ?? value["UserAttributes"] ?? []
        var body: JSONObject = ["Username": .string(username), "UserAttributes": attributes]
        body["Sub"] = attributes.arrayValue?.first { $0["Name"] == "sub" }?["Value"]
        if value["Enabled"] == false { body["Enabled"] = false }
        body["Groups"] = value["Groups"]
        users.append(User(place: place, body: body))
    }

    // MARK: CSV

    private mutating func addRecords(_ bytes: [UInt8]) throws(ServerError) {
        var reader = CSVReader(bytes)
        var header: [String]?
        while let record = reader.next() {
            if record.isEmpty { continue }
            guard let columns = header else {
                header = try Self.columns(record)
                continue
            }
            let place =
                record.lines.count == 1
                ? "Line \(record.lines.lowerBound)" : "Lines \(record.lines.lowerBound) to \(record.lines.upperBound)"
            do throws(RecordProblem) {
                users.append(User(place: place, body: try body(record, columns)))
            } catch {
                problems.append(Problem(place: place, message: error.message))
            }
        }
    }

    /// The names of the columns in the line of headers.
    private static func columns(_ record: CSVReader.Record) throws(ServerError) -> [String] {
        if let problem = record.problem { throw ServerError(.usage, "The line of headers cannot be read. \(problem)") }
        let names = record.fields.map { String($0.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed()) }
        guard names.contains("cognito:username") || names.contains("name") else {
            throw ServerError(.usage, "The first line names no column 'cognito:username'.")
        }
        let known = Set(names)
        guard known.count == names.count else { throw ServerError(.usage, "The first line names a column twice.") }
        guard !known.contains("") else { throw ServerError(.usage, "The first line has a column without a name.") }
        return names
    }

    private struct RecordProblem: Error { var message: String }

    private func body(
        _ record: CSVReader.Record, _ columns: [String]
    ) throws(RecordProblem) -> JSONObject {
        if let problem = record.problem { throw RecordProblem(message: problem) }
        guard record.fields.count == columns.count else {
            throw RecordProblem(
                message:
                    "It has \(record.fields.count) field\(record.fields.count == 1 ? "" : "s"), and the first line \(columns.count)."
            )
        }
        let values = Dictionary(uniqueKeysWithValues: zip(columns, record.fields))
        // Where people sign in by an address, a file may have it alone.
        let names = [columns.contains("cognito:username") ? "cognito:username" : "name"] + usernameAttributes
        guard let username = names.compactMap({ values[$0] }).first(where: { !$0.isEmpty }) else {
            throw RecordProblem(message: "It has no user name.")
        }
        var attributes: [JSONValue] = []
        for (name, value) in zip(columns, record.fields)
        where !value.isEmpty && name != "sub" && !name.hasPrefix("cognito:") {
            // Spreadsheets write TRUE.
            let isFlag = name.hasSuffix("_verified")
            attributes.append(["Name": .string(name), "Value": .string(isFlag ? value.lowercased() : value)])
        }
        var body: JSONObject = ["Username": .string(username), "UserAttributes": .array(attributes)]
        if let sub = values["sub"], !sub.isEmpty { body["Sub"] = .string(sub) }
        return body
    }
}
