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

    /// The model as it was when the work began.
    let source: DataSource
    private let graphQL: OperatorGraphQL
    private let retries = BulkRetries()

    init(source: DataSource, graphQL: OperatorGraphQL) { (self.source, self.graphQL) = (source, graphQL) }

    /// The model as it is served now, among those that are served with it.
    func served() throws(OperatorProblem) -> (source: DataSource, sources: DataSources) {
        let sources = try graphQL.servedAPI().dataSources
        guard let current = sources[source.model.name] else { throw .unknownModel(source.model.name) }
        return (current, sources)
    }

    /// Writes items, several at one time. The outcomes have the order of the inputs.
    ///
    /// A write that is refused for a moment, with the status 503, was not carried out, so it is sent again: where a deployment
    /// has migrated the table, until the new API is served, and then by that.
    ///
    /// - Parameters:
    ///   - isDryRun: Whether inputs are only checked: nothing is written then.
    ///   - expectations: What the stored item of each write has to meet in its transaction; empty where nothing is expected.
    ///   - isCancelled: Whether not to send again what was refused; asked each time.
    func write(
        _ resolver: Resolver, _ inputs: [JSONObject], isDryRun: Bool = false, expecting expectations: [Condition] = [],
        isCancelled: () -> Bool = { false }
    ) throws(OperatorProblem) -> [Outcome] {
        var outcomes = [Outcome](repeating: .rejected("The schema is being changed."), count: inputs.count)
        var open = Array(inputs.indices)
        while !open.isEmpty {
            let target: (document: String, sources: DataSources)
            do throws(OperatorProblem) {
                target = try document(resolver, isDryRun: isDryRun, expects: !expectations.isEmpty)
            } catch {
                // What others of them have written is reported.
                guard open.count < inputs.count else { throw error }
                for index in open { outcomes[index] = .rejected(error.message) }
                return outcomes
            }
            let envelopes = open.map { Self.envelope(target.document, inputs[$0]) }
            let expected = expectations.isEmpty ? [] : open.map { expectations[$0] }
            if let answers = try graphQL.executeAll(
                envelopes, as: .administrator, expecting: expected, of: target.sources)
            {
                for (index, answer) in zip(open, answers) { outcomes[index] = Self.outcome(answer, inputs[index]) }
                open = zip(open, answers).filter { $0.1.status == 503 }.map { $0.0 }
            }
            guard !open.isEmpty, !isCancelled(), retries.wait() else { break }
        }
        return outcomes
    }

    /// The operation of the API that is served now, and its models.
    private func document(
        _ resolver: Resolver, isDryRun: Bool, expects: Bool
    ) throws(OperatorProblem) -> (document: String, sources: DataSources) {
        let (current, sources) = try served()
        // Conditions name columns by their positions.
        guard !expects || current.table.columns == source.table.columns else { throw .schemaChanged(source.model.name) }
        guard let mutation = current.mutations[resolver.of(current.place)] else { throw .noMutation(source.model.name) }
        let document = isDryRun ? mutation.checkingDocument : mutation.document
        guard !isDryRun || document.contains("@skip(if: true)") else { throw .noMutation(source.model.name) }
        return (document, sources)
    }

    private static func envelope(_ document: String, _ input: JSONObject) -> [UInt8] {
        let variables: JSONValue = ["input": .object(input)]
        return Array(JSONValue.object(["query": .string(document), "variables": variables]).description.utf8)
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

    static func schemaChanged(_ model: String) -> OperatorProblem {
        OperatorProblem(
            code: .conflict, message: "The fields of \(model) were changed meanwhile.", hint: "Look at the items again."
        )
    }
}

extension Resolver {
    /// The same of a model that has another place.
    fileprivate func of(_ place: Int) -> Resolver {
        switch self {
        case .createItem: .createItem(model: place)
        case .updateItem: .updateItem(model: place)
        case .deleteItem: .deleteItem(model: place)
        default: self
        }
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
