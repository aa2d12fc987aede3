import GraphQL
import JSON
import Tables

/// Runs a query: on the loop it came in on, and again on a worker when it turns out to be long.
enum Query {
    static func run(
        _ scope: Completion.Scope, by api: GraphQLAPI, on context: LoopContext, reply: @escaping Answer.Reply
    ) {
        let limits = scope.schema.options.limits
        context.beginRequest(limits.loopBudget)
        do throws(StoreError) {
            var completion = Completion(scope: scope, writer: context.takeWriter())
            try completion.completeOperation()
            var work = AnswerWork()
            work.add(context.reader)
            let kind = AnswerKind.executed(completion.errors, of: scope.plan.record, work)
            let writer = completion.finish()
            writer.withBytes { reply(kind, $0) }
            context.giveBack(writer)
        } catch {
            var work = AnswerWork()
            work.add(context.reader)
            guard error.code == .movedOff else {
                return Answer.storeError(error).of(scope.plan.record, work).send(to: reply)
            }
            moveOff(scope, by: api, after: work, on: context, reply: reply)
        }
    }

    /// The request from its beginning, on a worker's connection, bounded by time instead of steps.
    /// - Parameter workOfLoop: What the request has cost on its loop.
    private static func moveOff(
        _ scope: Completion.Scope, by api: GraphQLAPI, after workOfLoop: AnswerWork, on context: LoopContext,
        reply: @escaping Answer.Reply
    ) {
        let (schema, plan, variables, identity) = (scope.schema, scope.plan, scope.variables, scope.identity)
        let client = scope.client
        context.statistics.readMovedOff()
        let deadline = ContinuousClock.now + .seconds(api.options.limits.executionSeconds)
        let refusal = api.readOnWorker(
            for: client, deadline: deadline, workSoFar: workOfLoop, on: context.executor
        ) { (reader) throws(StoreError) -> (AnswerKind, [UInt8]) in
            let scope = Completion.Scope(
                schema: schema, plan: plan, variables: variables, identity: identity,
                source: Completion.Source(reader: reader), client: client)
            var completion = Completion(scope: scope, writer: JSONWriter(capacity: 64 << 10))
            try completion.completeOperation()
            let kind = AnswerKind.executed(completion.errors, of: plan.record, AnswerWork())
            return (kind, completion.finish().bytes)
        } finish: { result, work in
            switch result {
            case .success((var kind, let bytes)):
                kind.report.work = work
                bytes.withUnsafeBytes { reply(kind, $0) }
            case .failure(let error): Answer.storeError(error).of(plan.record, work).send(to: reply)
            }
        }
        if let refusal { Answer.storeError(refusal).of(plan.record, workOfLoop).send(to: reply) }
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
