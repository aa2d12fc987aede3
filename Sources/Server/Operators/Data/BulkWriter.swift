import API
import JSON
import Tables
import Transformer

/// Writes many items by the API's own mutations, as the operator: each has its conditions, its version and its events.
struct BulkWriter: Sendable {
    /// What became of a write.
    enum Outcome: Sendable {
        case written(JSONObject)
        /// The item is there, or is not as expected.
        case conflict
        case rejected(String)
    }

    let source: DataSource
    let graphQL: OperatorGraphQL

    /// Writes items, several at one time. The outcomes have the order of the inputs.
    ///
    /// - Parameters:
    ///   - isDryRun: Whether inputs are only checked: nothing is written then.
    ///   - expectations: What the stored item of each write has to meet in its transaction; empty where nothing is expected.
    func write(
        _ resolver: Resolver, _ inputs: [JSONObject], isDryRun: Bool = false, expecting expectations: [Condition] = []
    ) throws(OperatorProblem) -> [Outcome] {
        guard let mutation = source.mutations[resolver] else { throw .noMutation(source.model.name) }
        let document = isDryRun ? mutation.checkingDocument : mutation.document
        guard !isDryRun || document.contains("@skip(if: true)") else { throw .noMutation(source.model.name) }
        let envelopes = inputs.map { input in
            let variables: JSONValue = ["input": .object(input)]
            return Array(
                JSONValue.object(["query": .string(document), "variables": variables]).description.utf8)
        }
        return try graphQL.executeAll(envelopes, as: .administrator, expecting: expectations).enumerated().map {
            index, outcome in
            Self.outcome(outcome, inputs[index])
        }
    }

    /// The reason why an item is not created whose key another one has.
    static let keyIsTaken = "There is an item with this key already."

    /// Whether a mutation failed because the item is there already, or is not as expected.
    static func isConflict(_ errorType: String) -> Bool {
        errorType.hasSuffix("ConditionalCheckFailedException") || errorType == "ConflictUnhandled"
    }

    private static func outcome(_ outcome: OperatorGraphQL.Outcome, _ input: JSONObject) -> Outcome {
        let body = try? JSONReader.read(outcome.body)
        guard let error = body?["errors"]?.arrayValue?.first else {
            guard body?["data"]?.objectValue != nil else { return .rejected("The mutation returned no data.") }
            return .written(body?["data"]?["item"]?.objectValue ?? input)
        }
        // The error is in a field of the item, which was written.
        if (error["path"]?.arrayValue?.count ?? 0) > 1 {
            return .written(body?["data"]?["item"]?.objectValue ?? input)
        }
        if isConflict(error["errorType"]?.stringValue ?? "") { return .conflict }
        return .rejected(error["message"]?.stringValue ?? "The mutation failed.")
    }
}

extension OperatorProblem {
    static func noMutation(_ model: String) -> OperatorProblem {
        OperatorProblem(
            code: .conflict, message: "The schema of \(model) has no mutation for this.",
            hint: "'mutations' of @model may switch it off.")
    }
}

extension DataMutation {
    /// An operation that has the mutation's variables checked and does not run it.
    var checkingDocument: String {
        document.replacing(") { item: ", with: ") { __typename item: ", maxReplacements: 1)
            .replacing("$input)", with: "$input) @skip(if: true)", maxReplacements: 1)
            .replacing("condition: $condition)", with: "condition: $condition) @skip(if: true)", maxReplacements: 1)
    }
}
