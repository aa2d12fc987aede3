import JSON

/// The record of what was deployed, in files of the data folder that only the server's user may read.
struct SchemaDeployments: Sendable {
    private let folder: String

    /// - Parameter dataFolder: The data folder.
    init(dataFolder: String) { folder = "\(dataFolder)/\(SchemaDrafts.folderName)/deployments" }

    /// The numbers, in ascending order.
    private var numbers: [Int] {
        ((try? Files.names(inFolder: folder)) ?? []).compactMap { name in
            name.hasSuffix(".json") ? Int(name.dropLast(5)) : nil
        }.sorted()
    }

    private func path(_ number: Int) -> String { "\(folder)/\(number).json" }

    /// The number that the next one gets.
    var nextNumber: Int { (numbers.last ?? 0) + 1 }

    /// Nil where there is no such deployment, or its file is damaged.
    subscript(number: Int) -> JSONObject? {
        guard let bytes = try? Files.read(path(number), bytesMax: 4 * SchemaLimits.requestBytesMax) else { return nil }
        return (try? JSONReader.read(bytes))?.objectValue
    }

    /// Adds a record, and removes the oldest ones beyond the bound. Returns false if it cannot be written.
    @discardableResult
    func add(_ record: JSONObject) -> Bool {
        guard let number = record["number"]?.intValue else { return false }
        do throws(Files.Failure) {
            try Files.makeFolder(folder)
            try Files.replacePrivately(path(Int(number)), with: Array(JSONValue.object(record).description.utf8))
        } catch { return false }
        for old in numbers.dropLast(SchemaLimits.deploymentsMax) { Files.remove(path(old)) }
        return true
    }

    /// The newest first.
    /// - Parameter after: The number that the list goes on below; nil from the newest.
    func list(after: Int?, limit: Int) -> (items: [JSONObject], next: Int?) {
        let numbers = numbers.reversed().filter { number in after.map { number < $0 } ?? true }
        let items = numbers.prefix(limit).compactMap { self[$0].map(Self.summary) }
        return (items, numbers.count > limit ? numbers[limit - 1] : nil)
    }

    /// The last one, as `GET /schema` has it; nil where there is none.
    var last: JSONValue? {
        guard let record = numbers.last.flatMap({ self[$0] }) else { return nil }
        return [
            "number": record["number"] ?? .null, "at": record["at"] ?? .null, "by": record["by"] ?? .null,
        ]
    }

    private static func summary(_ record: JSONObject) -> JSONObject {
        JSONObject(record.filter { !["files", "renames", "plan", "diff"].contains($0.key) }.map { ($0.key, $0.value) })
    }
}
