import JSON
import SchemaEdit

/// `POST /schema/deploy`: the schema, and what its caller has seen and accepted.
struct SchemaDeployment: Sendable, Equatable {
    let files: SchemaText
    let renames: [SchemaRename]
    let base: String
    let planHash: PlanHash
    /// The ids of accepted steps.
    let accepted: [String]
    /// Values by `Model.field`.
    let backfill: JSONObject

    /// The fields whose items get a value if they lack one, as `Model.field`.
    var filledFields: Set<String> { Set(backfill.keys) }

    init(_ body: JSONObject) throws(OperatorProblem) {
        files = try SchemaText(body["files"])
        renames = try [SchemaRename](body["renames"])
        guard let base = body["base"]?.stringValue else {
            throw .invalid("'base' is the hash of GET /schema.", field: "base")
        }
        guard let planHash = body["planHash"]?.stringValue.flatMap(PlanHash.init) else {
            throw .invalid("'planHash' is that of the plan.", field: "planHash")
        }
        (self.base, self.planHash) = (base, planHash)
        let accept = body["accept"] ?? []
        guard let ids = accept.arrayValue?.compactMap(\.stringValue), ids.count == accept.arrayValue?.count else {
            throw .invalid("'accept' is a list of steps' ids.", field: "accept")
        }
        accepted = ids
        guard let backfill = (body["backfill"] ?? [:]).objectValue else {
            throw .invalid("'backfill' is an object of fields and values.", field: "backfill")
        }
        self.backfill = backfill
    }
}
