import GraphQL
import JSON
import Tables

/// Runs a query: on the loop it came in on, and again on a worker when it turns out to be long.
enum Query {
    static func run(
        _ scope: Completion.Scope, by api: GraphQLAPI, on context: LoopContext, reply: @escaping Answer.Reply
    ) {
        let reader: Reader
        switch context.reads {
        case .live(let live) where !scope.plan.hasPipelines: reader = live
        default: return unsafe gather(scope, by: api, on: context, reply: reply)
        }
        context.beginRequest(scope.schema.options.limits.loopBudget, by: reader)
        do throws(StoreError) {
            var completion = Completion(scope: scope, writer: context.takeWriter())
            try completion.completeOperation()
            var work = AnswerWork()
            work.add(reader)
            let kind = AnswerKind.executed(completion.errors, in: scope, work)
            let writer = completion.finish()
            unsafe writer.withBytes { unsafe reply(kind, $0) }
            context.giveBack(writer)
        } catch {
            var work = AnswerWork()
            work.add(reader)
            guard error.code == .repeatOnWorker else {
                return unsafe Answer.storeError(error).of(scope.plan.record, work).send(to: reply)
            }
            let deadline = ContinuousClock.now + .seconds(api.options.limits.executionSeconds)
            unsafe handToWorker(scope, by: api, after: work, deadline: deadline, on: context, reply: reply)
        }
    }

    /// The request over rows that are fetched before it is completed.
    private static func gather(
        _ scope: Completion.Scope, by api: GraphQLAPI, on context: LoopContext, reply: @escaping Answer.Reply
    ) {
        let reader = context.waves(api, for: scope.client)
        let deadline = ContinuousClock.now + .seconds(scope.schema.options.limits.executionSeconds)
        Gather(scope, by: reader, on: context.executor, deadline: deadline) { result in
            var work = AnswerWork()
            do throws(StoreError) {
                let rows = try result.get()
                work.add(rows)
                unsafe complete(rows, scope, by: api, work, deadline: deadline, on: context, reply: reply)
            } catch {
                unsafe Answer.storeError(error).of(scope.plan.record, work).send(to: reply)
            }
        }.run(scope.plan.roots, of: RootRow())
    }

    /// Completes gathered rows on the loop, and again on a worker if that takes too long: one field may be selected under
    /// thousands of aliases of thousands of rows.
    private static func complete(
        _ rows: GatheredRows, _ scope: Completion.Scope, by api: GraphQLAPI, _ work: AnswerWork,
        deadline: ContinuousClock.Instant, on context: LoopContext, reply: @escaping Answer.Reply
    ) {
        var scope = scope
        scope.source = .gathered(
            rows, context.beginCompletion(scope.schema.options.limits.loopBudget, deadline: deadline))
        do throws(StoreError) {
            var completion = Completion(scope: scope, writer: context.takeWriter())
            try completion.completeOperation()
            let kind = AnswerKind.executed(completion.errors, in: scope, work)
            let writer = completion.finish()
            unsafe writer.withBytes { unsafe reply(kind, $0) }
            context.giveBack(writer)
        } catch {
            guard error.code == .repeatOnWorker else {
                return unsafe Answer.storeError(error).of(scope.plan.record, work).send(to: reply)
            }
            unsafe handToWorker(scope, rows, by: api, after: work, deadline: deadline, on: context, reply: reply)
        }
    }

    /// The request from its beginning, on a worker's connection, bounded by time instead of steps.
    /// - Parameters:
    ///   - rows: What was gathered for it; nil if it is read there.
    ///   - workOfLoop: What the request has cost on its loop.
    private static func handToWorker(
        _ scope: Completion.Scope, _ rows: GatheredRows? = nil, by api: GraphQLAPI, after workOfLoop: AnswerWork,
        deadline: ContinuousClock.Instant, on context: LoopContext, reply: @escaping Answer.Reply
    ) {
        let (schema, plan, variables, identity) = (scope.schema, scope.plan, scope.variables, scope.identity)
        let (decisions, client, details) = (scope.decisions, scope.client, scope.requestDetails)
        let isPlanCached = scope.isPlanCached
        let gathered = rows.map(LentRows.init)
        context.statistics.readHandedToWorker()
        let refusal = api.readOnWorker(
            for: client, deadline: deadline, workSoFar: workOfLoop, on: context.executor
        ) { (reader) throws(StoreError) -> (AnswerKind, [UInt8]) in
            let scope = Completion.Scope(
                schema: schema, plan: plan, variables: variables, identity: identity, decisions: decisions,
                source: Completion.Source(reader: reader, gathered: gathered), client: client,
                requestDetails: details, isPlanCached: isPlanCached)
            var completion = Completion(scope: scope, writer: JSONWriter(capacity: 64 << 10))
            try completion.completeOperation()
            let kind = AnswerKind.executed(completion.errors, in: scope, AnswerWork())
            return (kind, completion.finish().bytes)
        } finish: { result, work in
            switch result {
            case .success((var kind, let bytes)):
                kind.report.work = work
                unsafe bytes.withUnsafeBytes { unsafe reply(kind, $0) }
            case .failure(let error): unsafe Answer.storeError(error).of(plan.record, work).send(to: reply)
            }
        }
        if let refusal { unsafe Answer.storeError(refusal).of(plan.record, workOfLoop).send(to: reply) }
    }
}

extension Completion {
    /// `{"data":…` of a query: all root fields.
    mutating func completeOperation() throws(StoreError) {
        guard scope.plan.isDeep else { return try completeRoots() }
        try LargeStack.run { () throws(StoreError) in try completeRoots() }
    }

    private mutating func completeRoots() throws(StoreError) {
        writer.append("{\"data\":")
        let mark = writer.mark()
        if try !completeObject(scope.plan.roots, of: RootRow()) {
            writer.rewind(to: mark)
            writer.writeNull()
        }
    }

    /// Closes the response with the errors there were, and gives the buffer away.
    consuming func finish() -> JSONWriter {
        if !errors.isEmpty {
            writer.append(",\"errors\":[")
            for (index, error) in errors.enumerated() {
                if index > 0 { writer.append(UInt8(ascii: ",")) }
                error.graphQLError.write(into: &writer)
            }
            writer.append(UInt8(ascii: "]"))
        }
        writer.append(UInt8(ascii: "}"))
        return writer
    }
}
