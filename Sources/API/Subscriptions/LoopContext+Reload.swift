import GraphQL

// The loop's subscriptions when an API takes the place of another.

extension LoopContext {
    /// Brings the subscriptions to the API that serves from now on: those that are still valid go on without a gap,
    /// the others are ended with the reason. The server calls it on each loop at a reload; the first subscription under
    /// a new API does it too. This is one step on the loop, of about 0.1 ms for each group of equal subscriptions.
    public func revalidate(for api: GraphQLAPI) { _ = adopt(api) }

    /// Of two APIs the newer one counts: a request may have begun under the older.
    func adopt(_ api: GraphQLAPI) -> GraphQLAPI {
        guard let current = registry.api else {
            registry.api = api
            return api
        }
        guard api.generation > current.generation else { return current }
        sendAll()
        // The members note which events have reached them, so that it can be matched anew with the groups to come.
        matching.restart(from: delayed.events)
        delayed.removeAll()
        // Groups of one plan side by side, each group freed when it has moved: of the old plans and the new ones there
        // are never much more than one generation.
        var groups = registry.groups.values.sorted {
            ObjectIdentifier($0.operation.plan) < ObjectIdentifier($1.operation.plan)
        }
        var ended: [(handle: SubscriptionHandle, member: SubscriptionGroup.Member, error: [RealtimeError])] = []
        registry = SubscriptionRegistry(following: registry, api: api)
        while let group = groups.popLast() {
            for (identity, members) in Dictionary(grouping: group.members, by: \.value.identity) {
                switch operation(following: group.operation, madeBy: api, as: identity) {
                case .success(let operation): carryOver(members, of: group, as: identity, operation)
                case .failure(let errors):
                    for (handle, member) in members {
                        close(member, of: group)
                        ended.append((handle, member, errors.errors))
                    }
                }
            }
        }
        // Not before: while groups move, no event falls between, and none comes twice.
        registry.stopListening(inbox)
        api.environment.publisher.close(ended.count)
        countSubscriptions()
        for (_, member, errors) in ended { member.subscriber.end(errors) }
        return api
    }

    private func carryOver(
        _ members: [(key: SubscriptionHandle, value: SubscriptionGroup.Member)], of group: SubscriptionGroup,
        as identity: Identity, _ operation: SubscriptionOperation
    ) {
        guard group.isBusy else {
            for (handle, var member) in members {
                member.since = max(member.since, group.lastMatch)
                registry.insert(member, as: handle, of: operation, inbox)
            }
            return
        }
        // What is at a worker comes first: a subscription that joined now would receive it too.
        let successor = SubscriptionGroup(operation, for: identity)
        successor.isBusy = true
        successor.lastMatch = group.lastMatch
        successor.members = Dictionary(uniqueKeysWithValues: members.map { ($0.key, $0.value) })
        registry.insert(successor, inbox)
        group.successors.append(successor)
    }

    /// The same document and variables under another API.
    private func operation(
        following operation: SubscriptionOperation, madeBy api: GraphQLAPI, as identity: Identity
    ) -> Result<SubscriptionOperation, Refusal> {
        let old = operation.plan.operation
        switch plan(old.document.source.bytes, operationName: old.name, madeBy: api, for: identity) {
        case .refused(let errors): return .failure(Refusal(errors.map { RealtimeError($0) }))
        case .badRequest(_, let error): return .failure(Refusal([RealtimeError(error)]))
        case .forbidden: return .failure(Refusal([RealtimeError(.permissionDenied as GraphQLError)]))
        case .plan(let plan):
            do throws(RealtimeError) {
                return .success(try api.subscription(plan, operation.given, as: identity))
            } catch { return .failure(Refusal([error])) }
        }
    }

    private struct Refusal: Error {
        let errors: [RealtimeError]
        init(_ errors: [RealtimeError]) { self.errors = errors }
    }
}
