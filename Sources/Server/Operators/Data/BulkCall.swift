import Analytics
import HTTP
import JSON

/// A call about many items of a model at one time, or about items that one is linked with.
enum BulkCall: Sendable, Equatable {
    /// What an import does with an item that is there.
    enum Mode: String, Sendable {
        case create, upsert, skip
    }

    /// The format of an import or an export.
    enum Format: String, Sendable {
        case csv, json, jsonl
    }

    struct Import: Sendable, Equatable {
        var mode = Mode.create
        var isDryRun = false
        /// The field of each column that has another name; nil for a column that is left out.
        var columns: [String: String?] = [:]
        var format: Format
        var body: ImportBody
    }

    /// Items that are generated.
    struct Generation: Sendable, Equatable {
        let count: Int
        /// Nil for one that the server chooses.
        let seed: Int64?
        /// The generators that the caller has chosen, by field.
        let fields: JSONObject
        var isDryRun = false

        /// The largest seed: JSON numbers are exact up to it in JavaScript.
        static let seedMax: Int64 = 1 << 53 - 1
        /// The largest one that the server chooses.
        static let madeSeedMax: Int64 = 99_999
    }

    case delete(model: String, keys: [[String]], isDryRun: Bool)
    case deleteMatching(DataCall.Selection, expectedCount: Int?, isDryRun: Bool)
    case importItems(model: String, Import)
    case generators(model: String)
    case generate(model: String, Generation)
    case export(DataCall.Selection, Format, fields: [String])
    case links(model: String, key: [String], field: String, DataCall.Window)

    var method: String {
        switch self {
        case .delete, .deleteMatching, .importItems, .generate: "POST"
        case .export, .links, .generators: "GET"
        }
    }

    /// Reads a call; nil if the path is that of another one.
    ///
    /// - Parameters:
    ///   - parts: Those of the path after `data`, percent-encoded.
    ///   - body: Reads the body as an object.
    init?(
        _ request: Request, _ parts: [Substring], _ parameters: [ReportParameter],
        _ body: () throws(OperatorProblem) -> JSONObject
    ) throws(OperatorProblem) {
        guard parts.count >= 2, let model = OperatorCall.decoded(parts[0]) else { return nil }
        switch (request.method == .head ? .get : request.method, String(parts[1]), parts.count) {
        case (.post, "delete", 2): self = try Self.deletion(of: model, try body())
        case (.post, "import", 2): self = .importItems(model: model, try Import(request, parameters))
        case (.get, "generate", 2): self = .generators(model: model)
        case (.post, "generate", 2): self = .generate(model: model, try Generation(try body()))
        case (.get, "export", 2):
            let name = parameters.first { $0.name == "format" }?.value ?? "csv"
            guard let format = Format(rawValue: name) else {
                throw .invalid("'format' is csv, json or jsonl.", field: "format")
            }
            let fields = parameters.first { $0.name == "fields" }?.value.split(separator: ",").map(String.init)
            self = .export(try DataCall.Selection(model, parameters), format, fields: fields ?? [])
        case (.get, "items", 5) where parts[3] == "links":
            guard let field = OperatorCall.decoded(parts[4]) else { throw .unknownPath }
            self = .links(
                model: model, key: try DataCall.key(parts[2]), field: field, try DataCall.Window(parameters))
        default: return nil
        }
    }

    private static func deletion(of model: String, _ body: JSONObject) throws(OperatorProblem) -> BulkCall {
        let flag = body["dryRun"] ?? false
        guard let isDryRun = flag.boolValue else { throw .invalid("'dryRun' is true or false.", field: "dryRun") }
        if let given = body["keys"] {
            let keys = given.arrayValue?.map { $0.arrayValue?.compactMap(\.stringValue) ?? [] } ?? []
            guard !keys.isEmpty, keys.count <= BulkLimits.keysMax, keys.allSatisfy({ !$0.isEmpty }) else {
                throw .invalid(
                    "'keys' is a list of 1 to \(BulkLimits.keysMax) keys, each a list of texts.", field: "keys")
            }
            return .delete(model: model, keys: keys, isDryRun: isDryRun)
        }
        guard let filter = body["filter"], filter.objectValue != nil else {
            throw .invalid("The body has 'keys' or 'filter'.", field: "filter")
        }
        let expected = body["expectCount"]?.intValue
        guard isDryRun || expected != nil else {
            throw .invalid("'expectCount' is the number of items that a dry run has counted.", field: "expectCount")
        }
        let selection = DataCall.Selection(model: model, filter: filter)
        return .deleteMatching(selection, expectedCount: expected.map { Int(clamping: $0) }, isDryRun: isDryRun)
    }
}

extension BulkCall.Generation {
    init(_ body: JSONObject) throws(OperatorProblem) {
        guard let count = body["count"]?.intValue, (1...Int64(BulkLimits.generatedMax)).contains(count) else {
            throw .invalid("'count' is a number from 1 to \(BulkLimits.generatedMax).", field: "count")
        }
        self.count = Int(count)
        let seed = body["seed"]?.intValue
        guard body["seed"] == nil || seed.map((0...Self.seedMax).contains) == true else {
            throw .invalid("'seed' is a number from 0 to \(Self.seedMax).", field: "seed")
        }
        self.seed = seed
        guard let fields = (body["fields"] ?? [:]).objectValue else {
            throw .invalid("'fields' is an object of fields and generators.", field: "fields")
        }
        self.fields = fields
        let flag = body["dryRun"] ?? false
        guard let isDryRun = flag.boolValue else { throw .invalid("'dryRun' is true or false.", field: "dryRun") }
        self.isDryRun = isDryRun
    }
}

extension BulkCall.Import {
    init(_ request: Request, _ parameters: [ReportParameter]) throws(OperatorProblem) {
        let type = request[header: "content-type"]?.prefix { $0 != ";" && $0 != " " }.lowercased()
        switch type {
        case "text/csv": format = .csv
        case "application/json": format = .json
        case "application/x-ndjson", "application/jsonl", "application/jsonlines": format = .jsonl
        default:
            throw .invalid(
                "The Content-Type of an import is text/csv, application/json or application/x-ndjson.",
                field: "content-type")
        }
        body = try ImportBody(unsafe request.withBody { unsafe Array($0) })
        isDryRun = try OperatorCall.flag("dryRun", of: parameters)
        let name = parameters.first { $0.name == "mode" }?.value ?? "create"
        guard let mode = BulkCall.Mode(rawValue: name) else {
            throw .invalid("'mode' is create, upsert or skip.", field: "mode")
        }
        self.mode = mode
        guard let text = parameters.first(where: { $0.name == "columns" })?.value else { return }
        guard let object = (try? JSONReader.read(text))?.objectValue,
            object.allSatisfy({ $0.value.isNull || $0.value.stringValue != nil })
        else { throw .invalid("'columns' is an object of columns and fields.", field: "columns") }
        for (name, value) in object { columns[name] = .some(value.stringValue) }
    }
}
