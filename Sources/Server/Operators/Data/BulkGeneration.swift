import API
import JSON
import Transformer

/// Creates generated items, a mutation each.
struct BulkGeneration {
    private let request: BulkCall.Generation
    private let generation: ItemGeneration
    private let seed: Int64
    private let writer: BulkWriter
    private var (created, rejected) = (0, 0)
    private var rejects = RejectList(countMax: BulkLimits.rejectsListedMax)

    init(
        _ request: BulkCall.Generation, _ source: DataSource, _ servedAPI: ServedAPI, _ graphQL: OperatorGraphQL
    ) throws(OperatorProblem) {
        self.request = request
        seed = request.seed ?? Int64.random(in: 0...BulkCall.Generation.madeSeedMax)
        generation = try ItemGeneration(source, request.fields, seed: seed, servedAPI, graphQL)
        writer = BulkWriter(source: source, graphQL: graphQL)
    }

    /// The first items; the API's own validation accepts them.
    func samples() throws(OperatorProblem) -> [JSONObject] {
        var items = generation.makeIterator()
        let samples = (0..<min(request.count, BulkLimits.samplesMax)).map { _ in items.next() }
        for outcome in try writer.write(.createItem(model: generation.source.place), samples, isDryRun: true) {
            if case .rejected(let reason) = outcome { throw .invalid(reason, field: "fields") }
        }
        return samples
    }

    /// As a dry run is answered.
    func sampleAnswer() throws(OperatorProblem) -> OperatorAnswer {
        OperatorAnswer(body: ["samples": .array(try samples().map(JSONValue.object)), "seed": .number(String(seed))])
    }

    /// What the audit log names.
    var target: String { "\(generation.source.model.name) (\(request.count) items, seed \(seed))" }

    mutating func carryOut(_ job: Job) throws(OperatorProblem) -> JSONObject {
        var items = generation.makeIterator()
        job.setProgress(done: 0, total: request.count)
        for start in stride(from: 0, to: request.count, by: BulkLimits.writesMax) {
            try job.check()
            let inputs = (start..<min(start + BulkLimits.writesMax, request.count)).map { _ in items.next() }
            let outcomes = try writer.write(
                .createItem(model: generation.source.place), inputs, isCancelled: { job.isToBeCancelled })
            for (index, outcome) in outcomes.enumerated() {
                switch outcome {
                case .written: created += 1
                case .conflict: reject(start + index, BulkWriter.keyIsTaken)
                case .rejected(let reason): reject(start + index, reason)
                }
            }
            job.setResult(result)
            job.setProgress(done: created + rejected, total: request.count, rejected: rejected)
        }
        return result
    }

    private mutating func reject(_ index: Int, _ reason: String) {
        rejected += 1
        guard !rejects.isFull else { return }
        rejects.add(["item": .number(String(index + 1)), "reason": .string(RejectList.reason(reason))])
    }

    private var result: JSONObject {
        [
            "created": .number(String(created)), "rejected": .number(String(rejected)),
            "rejects": .array(rejects.elements),
            "seed": .number(String(seed)),
        ]
    }
}
