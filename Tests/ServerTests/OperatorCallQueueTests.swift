import Testing

@testable import Server

@Suite("Operators' calls under way, and those that wait")
struct OperatorCallQueueTests {
    /// A queue whose calls are numbers.
    private final class Queue {
        private var queue = OperatorCallQueue<Int>()

        var count: Int { queue.count }

        func add(_ work: Int, of share: OperatorCallShare) -> Bool { queue.add(work, of: share) }

        func begin() -> (share: OperatorCallShare, work: Int)? { queue.begin() }

        func end(_ share: OperatorCallShare) { queue.end(share) }

        /// The calls that may run now, begun.
        func begun() -> [Int] {
            var works: [Int] = []
            while let (_, work) = queue.begin() { works.append(work) }
            return works
        }
    }

    private let viewer = OperatorCallShare(name: "vera", rank: .viewerOrEditor)
    private let editor = OperatorCallShare(name: "edda", rank: .viewerOrEditor)
    private let owner = OperatorCallShare(name: "olga", rank: .owner)
    private let socket = OperatorCallShare(name: "user 0", rank: .socket)

    @Test("calls of one operator wait for each other, and leave threads and places to the others")
    func share() {
        let queue = Queue()
        #expect((0..<20).map { queue.add($0, of: viewer) } == (0..<20).map { $0 < 12 })
        #expect(queue.begun() == [0, 1, 2] && queue.count == 12)
        #expect(queue.add(100, of: editor) && queue.begun() == [100])
        queue.end(viewer)
        #expect(queue.begun() == [3], "in their order")
        #expect(queue.add(20, of: viewer) && !queue.add(21, of: viewer), "one has ended")
    }

    @Test("calls of owners and of the socket begin where those of all other operators fill their threads and places")
    func reserve() {
        let queue = Queue()
        let others = (0..<4).map { OperatorCallShare(name: "v\($0)", rank: .viewerOrEditor) }
        let taken = others.flatMap { share in (0..<12).filter { queue.add($0, of: share) } }
        #expect(taken.count == 16 && queue.begun().count == 5)
        #expect(queue.add(200, of: owner) && queue.add(201, of: owner) && queue.add(202, of: owner))
        #expect(queue.begun() == [200, 201], "one thread is left to the socket")
        #expect(queue.add(300, of: socket) && queue.begun() == [300])
        queue.end(socket)
        #expect(queue.add(301, of: socket) && queue.begun() == [301])
        queue.end(owner)
        #expect(queue.begun().isEmpty)
        queue.end(socket)
        #expect(queue.begun() == [202])
    }

    @Test("all calls begin in the end, and nothing is left of them")
    func drain() {
        let queue = Queue()
        let shares = (0..<12).map { [viewer, owner, socket][$0 % 3] }
        for (number, share) in shares.enumerated() { #expect(queue.add(number, of: share)) }
        var works: Set<Int> = []
        while let (share, work) = queue.begin() {
            #expect(share == shares[work])
            works.insert(work)
            queue.end(share)
        }
        #expect(works.count == 12 && queue.count == 0)
        #expect(queue.add(0, of: viewer) && queue.begun() == [0])
    }
}
