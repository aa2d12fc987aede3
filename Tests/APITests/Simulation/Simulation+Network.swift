import Foundation
import JSON

@testable import API

/// What goes over the network: subscriptions, pages, mutations and events.
extension Simulation {
    // MARK: - Connections and syncs

    /// Subscribes; the sync comes behind.
    func connect(_ link: Link) throws {
        // All three libraries identify a subscription by a UUID.
        for field in link.fields { link.subscriptionIDs[field] = UUID().uuidString }
        try subscribe(link)
        link.nextVersions = reference.history.mapValues { Int64($0.count) + 1 }
        link.device.connection = .syncing(nextToken: nil)
    }

    /// Subscribes again under the old identifiers, as amplify-swift and amplify-js do when their socket breaks; the
    /// former does not sync then (reference: datastore-sync, "Client flow"). What it missed must come by itself, and
    /// may come twice.
    func comeBack(_ link: Link) throws {
        // amplify-swift keeps them in a dictionary; amplify-js begins each behind a look-up of its headers.
        link.fields.shuffle(using: &random)
        try subscribe(link)
        try service.deliver()
        var replayed: [String: [Int64]] = [:]
        for (kind, payload) in link.inbox {
            let item = try event(payload, as: kind)
            if let id = item["id"]?.stringValue, let version = item["_version"]?.intValue {
                replayed[id, default: []].append(version)
            }
            if link.device.wants(item) { link.device.merge(item) }
        }
        for (id, rows) in reference.history {
            let versions = replayed[id] ?? []
            guard zip(versions, versions.dropFirst()).allSatisfy(<) else {
                throw TestFailure("\(link.device.name) received \(id) as \(versions)")
            }
            // What it did not receive was superseded by what another field had delivered before.
            for row in rows where row.version >= link.nextVersions[id, default: 1] && !versions.contains(row.version) {
                let place = link.fields.firstIndex(of: row.madeBy) ?? 0
                let isSuperseded = rows.contains { other in
                    other.version > row.version && (link.fields.firstIndex(of: other.madeBy) ?? place) < place
                }
                guard isSuperseded else { throw TestFailure("\(link.device.name) missed \(id):\(row.version)") }
            }
        }
        link.inbox = []
        link.nextVersions = reference.history.mapValues { Int64($0.count) + 1 }
        link.device.connection = link.device.engine == .swift ? .online : .syncing(nextToken: nil)
        counts.comebacks += 1
    }

    func subscribe(_ link: Link) throws {
        for kind in link.fields {
            let request = DeviceRequest.subscription(kind, by: link.device.engine)
            let subscriber = TestSubscriber()
            let graphQLRequest = try unsafe Array(request.body.utf8).withUnsafeBytes {
                try unsafe service.context.readRequest($0, for: service.api)
            }
            guard
                case .subscribed(let handle) = service.api.subscribe(
                    to: graphQLRequest, as: .apiKey, id: link.subscriptionIDs[kind],
                    besides: link.subscribers.compactMap(\.handle), on: service.context, for: subscriber)
            else { throw TestFailure("not subscribed: \(request.document)") }
            subscriber.handle = handle
            subscriber.react = { [unowned link, unowned subscriber] in
                for payload in subscriber.take() { link.inbox.append((kind, payload)) }
            }
            link.subscribers.append(subscriber)
            service.context.replay(to: handle)
        }
    }

    /// Reads one page, which is asked for right behind the requests of others, without waiting for these.
    func page(_ link: Link, besides others: [(link: Link, request: ReferenceServer.Request)]) throws {
        let device = link.device
        guard case .syncing(let token) = device.connection else { return }
        if token == nil {
            device.sync.ids = [:]
            device.sync.startedAt = nil
            device.sync.pageCount = 0
            device.sync.since = device.sync.usable(at: clock.milliseconds + device.skewMilliseconds)
        }
        // Whether the changes of the others are in this page is the race's.
        if token == nil { device.sync.change = reference.changeCount }
        let request = DeviceRequest.sync(
            lastSync: device.sync.since, shelf: device.shelf, limit: device.pageLimit, nextToken: token,
            by: device.engine)
        let answers = try send(others, and: [request])
        if token == nil { device.sync.changeBehindRace = reference.changeCount }
        guard let result = answers.last?["data"]?["syncNotes"], let items = result["items"]?.arrayValue,
            let startedAt = result["startedAt"]?.intValue, answers.last?["errors"] == nil
        else { throw TestFailure("no page: \(answers.last ?? .null)") }
        // Never in the future, and on later pages what it was on the first.
        guard device.sync.startedAt.map({ $0 == startedAt }) ?? (startedAt <= clock.milliseconds) else {
            throw TestFailure("\(device.name): startedAt \(startedAt) at \(clock.milliseconds) behind \(device.sync)")
        }
        device.sync.startedAt = startedAt
        lastStart = max(lastStart, startedAt)
        for item in items { try took(item, on: device) }
        device.sync.pageCount += 1
        guard device.sync.pageCount < 1_000 else { throw TestFailure("\(device.name): a sync without end") }
        if let next = result["nextToken"]?.stringValue {
            device.connection = .syncing(nextToken: next)
        } else {
            try finishSync(device)
        }
    }

    func took(_ value: JSONValue, on device: SimulatedDevice) throws {
        let item = try verified(value)
        guard let id = item["id"]?.stringValue, let version = item["_version"]?.intValue else { return }
        guard device.wants(item) else { throw TestFailure("\(device.name): \(value) is not of its shelf") }
        if device.sync.since == nil, device.sync.ids[id] != nil {
            throw TestFailure("\(device.name): \(id) came twice in a base sync")
        }
        if let since = device.sync.since, device.engine != .android, since > lastStartBeforeRestore,
            (item["_lastChangedAt"]?.intValue ?? 0) < since
        {
            throw TestFailure("\(device.name): \(id) came although it did not change since \(since)")
        }
        device.sync.ids[id] = version
        device.merge(item)
    }

    /// What did not change during the sync must have come: everything, or everything since the last one.
    func finishSync(_ device: SimulatedDevice) throws {
        let known = device.sync.since == nil ? 0 : device.sync.lastChange
        for (id, rows) in reference.history {
            guard let row = rows.last, row.change > known, row.change <= device.sync.change, device.wants(row.fields)
            else { continue }
            guard device.sync.ids[id] == row.version else {
                throw TestFailure(
                    "\(device.name): \(id):\(row.version) is missing in a sync since \(device.sync.since ?? 0)")
            }
        }
        if device.sync.since == nil { counts.baseSyncs += 1 } else { counts.deltaSyncs += 1 }
        device.sync.lastChange = device.sync.changeBehindRace
        device.sync.lastSync =
            device.engine == .android ? clock.milliseconds + device.skewMilliseconds : device.sync.startedAt
        device.connection = .online
    }

    // MARK: - Mutations

    /// Sends the first mutation of an outbox; some requests and some replies are lost, and with them the connection.
    func exchange(with link: Link) throws {
        guard link.device.isOnline, let request = link.device.send() else { return }
        if chance(12) { return cut(link) }
        let answer = try send([(link, request)], and: [])[0]
        if chance(8) {
            counts.lostReplies += 1
            return cut(link)
        }
        try receive(answer, on: link.device)
    }

    /// Several devices send at one moment, and one reads a page behind them without waiting.
    func together() throws {
        var requests: [(link: Link, request: ReferenceServer.Request)] = []
        for link in links where link.device.isOnline {
            if let request = link.device.send() { requests.append((link, request)) }
        }
        if let reader = links.first(where: { if case .syncing = $0.device.connection { true } else { false } }) {
            try page(reader, besides: requests)
        } else {
            for (index, answer) in try send(requests, and: []).enumerated() {
                try receive(answer, on: requests[index].link.device)
            }
        }
    }

    /// Someone without versions: the console, or an API client.
    func console() throws {
        let id = reference.history.keys.sorted().randomElement(using: &random)
        consoleCount += 1
        var request = ReferenceServer.Request(kind: .update, id: id ?? "", fields: ["title": "console"])
        if id == nil || chance(3) {
            request = ReferenceServer.Request(
                kind: .create, id: "z\(consoleCount)", fields: ["title": "console", "shelf": "a"])
        } else if chance(4) {
            (request.kind, request.fields) = (.delete, [:])
        }
        try check([request], try ask([DeviceRequest.mutation(request, by: .javaScript)]))
    }

    /// Sends mutations, and others behind them, at one moment. The mutations' answers are checked, and received by the
    /// devices if anything stands behind them. All answers, in order.
    func send(
        _ mutations: [(link: Link, request: ReferenceServer.Request)], and others: [DeviceRequest]
    ) throws -> [JSONValue] {
        let requests = mutations.map { DeviceRequest.mutation($0.request, by: $0.link.device.engine) }
        let answers = try ask(requests + others)
        try check(mutations.map(\.request), Array(answers.prefix(mutations.count)))
        if !others.isEmpty {
            for (index, mutation) in mutations.enumerated() { try receive(answers[index], on: mutation.link.device) }
        }
        return answers
    }

    func ask(_ requests: [DeviceRequest]) throws -> [JSONValue] {
        let answers = try service.send(bodies: requests.map(\.body)).map { try JSONReader.read($0.text) }
        try service.deliver()
        return answers
    }

    func receive(_ answer: JSONValue, on device: SimulatedDevice) throws {
        guard let error = answer["errors"]?[0] else {
            guard let item = answer["data"]?.objectValue?.first?.value else { throw TestFailure("\(answer)") }
            return device.succeeded(try verified(item))
        }
        if error["errorType"] == "ConflictUnhandled", let data = error["data"] {
            return device.conflicted(with: try verified(data))
        }
        let id = device.refused()
        let stored = try ask([DeviceRequest.get(id, by: device.engine)])[0]["data"]?["getNote"] ?? .null
        if stored.isNull { device.forget(id) } else { device.replace(try verified(stored)) }
    }

    // MARK: - Events

    /// Lets events arrive at a device that is through with its sync; the others wait, as the engines have it.
    func take(_ count: Int, from link: Link) throws {
        guard link.device.isOnline else { return }
        for (kind, payload) in link.inbox.prefix(count) {
            let item = try event(payload, as: kind)
            guard let id = item["id"]?.stringValue, let version = item["_version"]?.intValue else { continue }
            // Every change of an item is received, in order.
            guard link.nextVersions[id, default: 1] == version else {
                throw TestFailure(
                    "\(link.device.name) received \(payload) and not \(link.nextVersions[id, default: 1])")
            }
            link.nextVersions[id] = version + 1
            if link.device.wants(item) { link.device.merge(item) }
        }
        link.inbox.removeFirst(min(count, link.inbox.count))
    }
}
