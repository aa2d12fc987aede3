import JSON
import SchemaEdit

/// The record of what was deployed, in files of the data folder that only the server's user may read.
struct SchemaDeployments: Sendable {
    /// The file of the data folder that has what was served last.
    static let servedName = "served-schema.json"

    private let folder: String
    private let servedPath: String

    /// - Parameter dataFolder: The data folder.
    init(dataFolder: String) {
        folder = "\(dataFolder)/\(SchemaDrafts.folderName)/deployments"
        servedPath = "\(dataFolder)/\(Self.servedName)"
    }

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

    /// The number of the last deployment before which the files had this hash: to deploy them again undoes it and those after it.
    /// Nil if there is none among the last ones, and for files that are what is there.
    ///
    /// - Parameter base: The hash of the files as they are.
    func undone(by hash: String, over base: String) -> Int? {
        guard hash != base else { return nil }
        let last = numbers.suffix(SchemaLimits.undoneDeploymentsMax)
        return last.reversed().first { self[$0]?["base"]?.stringValue == hash }
    }

    /// What undoes the last deployment: the files before it, and its renames the other way round. Null for another one, and for one
    /// that has lost data.
    func undo(of record: JSONObject) -> JSONValue {
        guard record["reversible"] == true, let files = record["before"], !files.isNull,
            record["number"]?.intValue == numbers.last.map(Int64.init),
            let renames = try? [SchemaRename](record["renames"])
        else { return .null }
        return ["files": files, "renames": .array(renames.reversed().map(\.inverse.json))]
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

    /// The hash of the files of the last one; nil if there is none.
    var lastHash: String? { numbers.last.flatMap { self[$0] }?["hash"]?.stringValue }

    // MARK: - What is served

    /// The files that a server has served last with the data folder, or else those of the last deployment; nil if neither is
    /// known.
    var servedText: SchemaText? {
        guard let bytes = try? Files.read(servedPath, bytesMax: SchemaLimits.requestBytesMax) else {
            return try? SchemaText(numbers.last.flatMap { self[$0] }?["files"])
        }
        return try? SchemaText((try? JSONReader.read(bytes))?["files"])
    }

    /// Notes the files that are served from now on. Without it, the next start finds no change of them.
    func noteServed(_ text: SchemaText) {
        guard !Files.exists(servedPath) || servedText != text else { return }
        let object: JSONObject = ["files": text.json]
        try? Files.replacePrivately(servedPath, with: Array(JSONValue.object(object).description.utf8))
    }

    private static func summary(_ record: JSONObject) -> JSONObject {
        let details = ["files", "before", "base", "renames", "plan", "diff"]
        return JSONObject(record.filter { !details.contains($0.key) }.map { ($0.key, $0.value) })
    }
}

extension SchemaRename {
    fileprivate var inverse: SchemaRename {
        switch self {
        case .type(let old, let new): .type(old: new, new: old)
        case .field(let type, let old, let new): .field(type: type, old: new, new: old)
        }
    }
}
