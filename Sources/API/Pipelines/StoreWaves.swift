import Tables

/// The waves of an operation that waits for functions, over a store that is read live: each is run on the loop's own
/// connection within the loop's budget, and where it takes more, again on a worker. No snapshot is kept between two
/// waves.
final class StoreWaves: BatchReader {
    private let api: GraphQLAPI
    private let client: ReadClient
    private let context: LoopContext
    private let reader: Reader

    init(_ api: GraphQLAPI, for client: ReadClient, on context: LoopContext, by reader: Reader) {
        (self.api, self.client, self.context, self.reader) = (api, client, context, reader)
    }

    /// The bytes of rows that a wave may have: what a request may keep.
    private var bytesMax: Int { 4 * api.options.limits.responseBytesMax }

    func run(
        _ wave: [BatchRequest], deadline: ContinuousClock.Instant,
        completion: @escaping (Result<[BatchOutcome], StoreError>) -> Void
    ) {
        let own = Unchecked(completion)
        context.beginRequest(api.options.limits.loopBudget, by: reader)
        let result: Result<[BatchOutcome], StoreError>
        do throws(StoreError) {
            result = .success(try reader.outcomes(of: wave, bytesMax: bytesMax))
        } catch {
            guard error.code != .repeatOnWorker else { return runOnWorker(wave, deadline, own) }
            result = .failure(error)
        }
        // Not within this call: a request with many levels would fill the stack.
        context.executor.execute { own.value(result) }
    }

    private func runOnWorker(
        _ wave: [BatchRequest], _ deadline: ContinuousClock.Instant,
        _ completion: Unchecked<(Result<[BatchOutcome], StoreError>) -> Void>
    ) {
        context.statistics.readHandedToWorker()
        let bytesMax = bytesMax
        let refusal = api.readOnWorker(
            for: client, deadline: deadline, on: context.executor
        ) { (reader) throws(StoreError) in
            try reader.outcomes(of: wave, bytesMax: bytesMax)
        } finish: { result, _ in
            completion.value(result)
        }
        if let refusal { context.executor.execute { completion.value(.failure(refusal)) } }
    }
}

extension LoopContext {
    /// How an operation reads whose rows are gathered: by the waves of the store, or by waves of live reads.
    func waves(_ api: GraphQLAPI, for client: ReadClient) -> any BatchReader {
        switch reads {
        case .batched(let reader): reader
        case .live(let reader): StoreWaves(api, for: client, on: self, by: reader)
        }
    }
}
