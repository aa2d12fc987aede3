/// Closing of connections when all of them together keep more than the server's bound: those first that have been without
/// progress for the longest time. Each loop is asked for its connections in turn, because only a loop may look at them.
/// Meanwhile no loop takes further requests; see `Connection.mayServe`.
extension Service {
    /// Whether the server keeps so much that no further request is taken before connections have been closed.
    var keepsTooMuch: Bool { outgoing.isExceeded || incoming.isExceeded }

    func budget(_ direction: ByteBudget.Direction) -> ByteBudget { direction == .incoming ? incoming : outgoing }

    /// Begins to close connections, unless that is under way. From any loop.
    func relieve(_ direction: ByteBudget.Direction) {
        guard budget(direction).beginRelief() else { return }
        collect(direction, from: 0, [])
    }

    private func collect(_ direction: ByteBudget.Direction, from index: Int, _ candidates: [ReliefCandidate]) {
        guard index < loops.count else { return choose(direction, among: candidates) }
        let loop = loops[index]
        loop.execute { [self] in
            collect(direction, from: index + 1, candidates + loop.reliefCandidates(direction))
        }
    }

    private func choose(_ direction: ByteBudget.Direction, among candidates: [ReliefCandidate]) {
        var victims = [[Connection]](repeating: [], count: loops.count)
        var surplus = budget(direction).isExceeded ? budget(direction).surplus : 0
        for candidate in candidates.sorted(by: { $0.sinceNanoseconds < $1.sinceNanoseconds }) where surplus > 0 {
            surplus -= candidate.keptBytes
            victims[candidate.connection.loop.index].append(candidate.connection)
        }
        giveUp(victims, direction, from: 0)
    }

    private func giveUp(_ victims: [[Connection]], _ direction: ByteBudget.Direction, from index: Int) {
        guard index < loops.count else {
            budget(direction).endRelief()
            if budget(direction).isExceededNow { return relieveAgain(direction, victims) }
            for loop in loops { loop.execute { loop.resumePaused() } }
            return
        }
        let loop = loops[index]
        loop.execute { [self] in
            for connection in victims[index] where connection.giveUp(direction) {
                noteShortage(direction == .incoming ? .incomingBytes : .outgoingBytes, on: loop)
            }
            giveUp(victims, direction, from: index + 1)
        }
    }

    /// Goes on for what came meanwhile. Where no connection was found to close, those that are to come are waited for.
    private func relieveAgain(_ direction: ByteBudget.Direction, _ victims: [[Connection]]) {
        guard victims.allSatisfy(\.isEmpty) else { return relieve(direction) }
        loops[0].schedule(afterMilliseconds: 10) { [self] in relieve(direction) }
    }
}
