import Tables

/// The rows of a request that were fetched before it is completed, by the fields that asked for them and by the numbers of
/// the parents' rows. Used by one thread at a time: the loop that gathered them, or a worker (`LentRows`).
final class GatheredRows {
    /// What a parent's row has of a field.
    enum Rows {
        /// Nothing had to be read: a part of the key is absent.
        case none
        /// They were not read, since the request had passed the number of resolvers that it may run.
        case omitted
        case rows(BatchCursor)
    }

    private enum Place {
        case none
        /// Which of a field's groups of keys, and which key in it.
        case key(group: Int, key: Int)
    }

    /// The rows of one part of a field, such as one `items` of a page.
    private struct Part {
        /// By group: the batch, or why there is none, and the number of its first row.
        var batches: [(outcome: BatchOutcome, firstNumber: Int)] = []
        var rowCount = 0
    }

    /// The rows of one field.
    private struct Field {
        /// By the numbers of the parents' rows.
        var places: [Int: Place] = [:]
        var parts: [ObjectIdentifier: Part] = [:]
        var sync: SyncRequest?
        var refusal: StoreError?
        /// What pipelines answered, and objects of columns that are parents, by the numbers of the parents' rows.
        var outcomes: [Int: PipelineOutcome] = [:]
    }

    private var fields: [ObjectIdentifier: Field] = [:]
    /// Rows that were fetched.
    private(set) var rowCount = 0
    /// Their bytes, as a batch counts them, and those of what functions are sent and answer.
    private(set) var byteCount = 0

    // MARK: - Answers

    /// Whether it was found out what a field has for a parent's row.
    func contains(_ field: PlannedField, under parent: Int) -> Bool {
        fields[ObjectIdentifier(field)]?.places[parent] != nil
    }

    /// The rows of a part of a field, which is the field itself where it has no parts.
    func rows(of field: PlannedField, under parent: Int, part: PlannedField) throws(StoreError) -> Rows {
        guard let gathered = fields[ObjectIdentifier(field)], let place = gathered.places[parent] else {
            return .omitted
        }
        guard case .key(let group, let key) = place else { return .none }
        guard let part = gathered.parts[ObjectIdentifier(part)] else {
            preconditionFailure("every part that is completed was gathered")
        }
        switch part.batches[group].outcome {
        case .rows(let batch):
            return .rows(BatchCursor(batch, key: key, numberedFrom: part.batches[group].firstNumber))
        case .refused(let error): throw error
        case .syncStart, .deltaHorizon: preconditionFailure("a fetch has rows as its outcome")
        }
    }

    /// What a sync asks for, known since it has begun; nil when it was omitted.
    func syncRequest(of field: PlannedField) throws(StoreError) -> SyncRequest? {
        let gathered = fields[ObjectIdentifier(field)]
        if let refusal = gathered?.refusal { throw refusal }
        return gathered?.sync
    }

    /// What a pipeline answered for a parent's row; nil where it was not run.
    func outcome(of field: PlannedField, under parent: Int) -> PipelineOutcome? {
        fields[ObjectIdentifier(field)]?.outcomes[parent]
    }

    // MARK: - Gathering

    func set(_ outcome: PipelineOutcome, of field: PlannedField, under parent: Int) {
        fields[ObjectIdentifier(field), default: Field()].outcomes[parent] = outcome
    }

    /// Counts bytes that are kept beside the rows.
    func add(byteCount: Int) { self.byteCount += byteCount }

    /// A parent's row has nothing to read.
    func setNone(_ field: PlannedField, under parent: Int) {
        fields[ObjectIdentifier(field), default: Field()].places[parent] = Place.none
    }

    /// A parent's row has the rows of a key.
    func set(_ field: PlannedField, under parent: Int, group: Int, key: Int) {
        fields[ObjectIdentifier(field), default: Field()].places[parent] = .key(group: group, key: key)
    }

    func setSync(_ request: SyncRequest, of field: PlannedField) {
        fields[ObjectIdentifier(field), default: Field()].sync = request
    }

    func refuseSync(of field: PlannedField, _ error: StoreError) {
        fields[ObjectIdentifier(field), default: Field()].refusal = error
    }

    /// Adds the outcome for the next group of a field's keys, as the rows of several parts that read the same.
    /// - Returns: The number of its first row.
    func append(_ outcome: BatchOutcome, to field: PlannedField, parts: [PlannedField]) -> Int {
        if case .rows(let batch) = outcome {
            rowCount += batch.rowCount
            byteCount += batch.byteCount
        }
        var first = 0
        for part in parts {
            var gathered = fields[ObjectIdentifier(field), default: Field()].parts[
                ObjectIdentifier(part), default: Part()]
            first = gathered.rowCount
            gathered.batches.append((outcome, first))
            if case .rows(let batch) = outcome { gathered.rowCount += batch.rowCount }
            fields[ObjectIdentifier(field), default: Field()].parts[ObjectIdentifier(part)] = gathered
        }
        return first
    }
}
