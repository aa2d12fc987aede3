import JSON

/// A device with a small model of one library's sync engine (reference: datastore-sync, "Client flow")
/// (reference: datastore-sync, "Errors that clients act on"): the local items, the outbox, and how what comes from the
/// server is merged.
///
/// The engines have corners of their own in which they lose track of an item: a mutation that is dropped for good while
/// events of its item were not applied. There the model reads the item again, as amplify-js does when a conflict
/// handler answers DISCARD; it is the server that is tried here.
final class SimulatedDevice {
    /// A mutation in the outbox.
    struct Pending {
        var kind: ReferenceServer.Kind
        let id: String
        var fields: Fields = [:]
        /// What amplify-js took from its item when it was edited.
        var version: Int64?
        var shelf: String?
        /// It may have reached the server, so later edits are not merged into it.
        var wasSent = false
    }

    enum Connection: Equatable {
        case offline
        /// Subscribed, and reading pages; nil is before the first one.
        case syncing(nextToken: String?)
        case online
    }

    /// What the application answers to a conflict.
    enum Resolution { case applyRemote, retryLocal }

    let name: String
    let engine: Engine
    let resolution: Resolution
    /// The sync expression: only items of this shelf.
    let shelf: String?
    /// How far the device's clock is ahead of the server's.
    let skewMilliseconds: Int64
    let pageLimit: Int

    var connection = Connection.offline
    /// What the application sees.
    private(set) var items: [String: Fields] = [:]
    /// The metadata of Swift and Android, which outlives the item. JavaScript has none beside the item.
    private(set) var versions: [String: Int64] = [:]
    private(set) var outbox: [Pending] = []
    var sync = SyncMemory()
    private var createdCount = 0

    init(
        name: String, engine: Engine, resolution: Resolution, shelf: String?, skewMilliseconds: Int64, pageLimit: Int
    ) {
        (self.name, self.engine, self.resolution) = (name, engine, resolution)
        (self.shelf, self.skewMilliseconds, self.pageLimit) = (shelf, skewMilliseconds, pageLimit)
    }

    var isOnline: Bool { connection == .online }

    /// Whether the sync expression lets an item through; the engines evaluate it for events themselves.
    func wants(_ item: Fields) -> Bool { shelf == nil || item["shelf"] == shelf.map { .string($0) } }

    private func hasPending(_ id: String) -> Bool { outbox.contains { $0.id == id } }

    // MARK: - The user

    static let shelves = ["a", "b", "c"]

    func edit(_ random: inout SeededGenerator) {
        let ids = items.keys.sorted()
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<4: create(&random)
        case 4..<9: if let id = ids.randomElement(using: &random) { update(id, &random) }
        default: if let id = ids.randomElement(using: &random) { delete(id) }
        }
    }

    private func create(_ random: inout SeededGenerator) {
        createdCount += 1
        let id = "\(name)\(createdCount)"
        var fields = Self.someFields(&random).filter { !$0.value.isNull }
        fields["shelf"] = .string(shelf ?? Self.shelves.randomElement(using: &random) ?? "a")
        items[id] = fields
        items[id]?["id"] = .string(id)
        outbox.append(Pending(kind: .create, id: id, fields: fields))
    }

    private func update(_ id: String, _ random: inout SeededGenerator) {
        guard var item = items[id] else { return }
        var changes = Self.someFields(&random)
        if Int.random(in: 0..<6, using: &random) == 0 {
            changes["shelf"] = .string(Self.shelves.randomElement(using: &random) ?? "a")
        }
        let condition = Int.random(in: 0..<8, using: &random) == 0 ? Self.shelves.randomElement(using: &random) : nil
        let version = item["_version"]?.intValue
        item.merge(changes) { $1 }
        items[id] = item
        if engine == .swift {
            // Every field that can be written, null as null.
            changes = [:]
            for name in ReferenceServer.fieldNames { changes[name] = item[name] ?? .null }
        }
        guard let index = outbox.lastIndex(where: { $0.id == id && !$0.wasSent && $0.kind != .delete }) else {
            outbox.append(Pending(kind: .update, id: id, fields: changes, version: version, shelf: condition))
            return
        }
        outbox[index].fields.merge(changes) { $1 }
        if outbox[index].kind == .create { outbox[index].fields = outbox[index].fields.filter { !$0.value.isNull } }
    }

    private func delete(_ id: String) {
        let version = items[id]?["_version"]?.intValue
        items[id] = nil
        let unsent = outbox.lastIndex { $0.id == id && !$0.wasSent }
        let isNew = unsent.map { outbox[$0].kind == .create } ?? false
        let known = unsent.flatMap { outbox[$0].version } ?? version
        if let unsent { outbox.remove(at: unsent) }
        if !isNew { outbox.append(Pending(kind: .delete, id: id, version: known)) }
    }

    private static func someFields(_ random: inout SeededGenerator) -> Fields {
        var fields: Fields = [:]
        let word = JSONValue.string("w\(Int.random(in: 0..<1_000, using: &random))")
        switch Int.random(in: 0..<6, using: &random) {
        case 0, 1: fields["title"] = word
        case 2: fields["body"] = word
        case 3: fields["tags"] = [word]
        case 4: (fields["title"], fields["body"]) = (.null, word)
        default: (fields["title"], fields["tags"]) = (word, Bool.random(using: &random) ? .null : [word, "é ☕\n\""])
        }
        return fields
    }

    // MARK: - The outbox

    /// What the first mutation of the outbox asks for; from now on it counts as sent.
    func send() -> ReferenceServer.Request? {
        guard !outbox.isEmpty else { return nil }
        outbox[0].wasSent = true
        let head = outbox[0]
        let version =
            switch engine {
            case .swift: [head.version, versions[head.id]].compactMap { $0 }.max()
            case .javaScript: head.version
            case .android: versions[head.id]
            }
        return ReferenceServer.Request(
            kind: head.kind, id: head.id, fields: head.fields, expected: version, shelf: head.shelf)
    }

    /// The mutation was stored; this is the answer.
    func succeeded(_ item: Fields) {
        let head = outbox.removeFirst()
        // The version goes on to later mutations of the item only if it is what was sent.
        if head.fields.allSatisfy({ (item[$0.key] ?? .null) == $0.value }) {
            for index in outbox.indices where outbox[index].id == head.id {
                outbox[index].version = item["_version"]?.intValue
            }
        }
        // The answer to an own mutation is not stale metadata, whatever is still in the outbox.
        if engine == .android, hasPending(head.id) { versions[head.id] = item["_version"]?.intValue }
        merge(item)
    }

    /// There is a conflict with this stored item.
    func conflicted(with item: Fields) {
        let isDeleted = item["_deleted"]?.boolValue == true
        guard resolution == .retryLocal, !isDeleted else {
            outbox.removeFirst()
            return replace(item)
        }
        // The retry drops the condition.
        outbox[0].version = item["_version"]?.intValue
        outbox[0].shelf = nil
        versions[outbox[0].id] = outbox[0].version
    }

    /// The mutation was refused for good. Returns its item's id, which is to be read again.
    func refused() -> String { outbox.removeFirst().id }

    // MARK: - Merging

    /// Takes over an item from an answer, a page or an event.
    func merge(_ item: Fields) {
        guard let id = item["id"]?.stringValue, let version = item["_version"]?.intValue else { return }
        let isDeleted = item["_deleted"]?.boolValue == true
        switch engine {
        case .javaScript:
            // No look at the version: whatever arrives last.
            if !hasPending(id) { items[id] = isDeleted ? nil : item }
        case .swift, .android:
            if engine == .android, hasPending(id) { return }
            if let known = versions[id] { guard version > known else { return } } else if isDeleted { return }
            versions[id] = version
            if !hasPending(id) { items[id] = isDeleted ? nil : item }
        }
    }

    /// Takes over an item whatever was known of it.
    func replace(_ item: Fields) {
        guard let id = item["id"]?.stringValue else { return }
        versions[id] = item["_version"]?.intValue
        if !hasPending(id) { items[id] = item["_deleted"]?.boolValue == true ? nil : item }
    }

    /// The server has no such item.
    func forget(_ id: String) { if !hasPending(id) { items[id] = nil } }
}

/// What a device remembers of its syncs.
struct SyncMemory {
    static let dayMilliseconds: Int64 = 24 * 3_600_000

    /// What goes into the next sync, if it is young enough.
    var lastSync: Int64?
    /// The store's count of changes when that sync had begun: every later change must come.
    var lastChange = 0

    /// The store's count of changes before the running sync's first page was asked for, and with what raced with it.
    var change = 0
    var changeBehindRace = 0
    /// What the running sync asked for, and what it received.
    var since: Int64?
    var startedAt: Int64?
    var ids: [String: Int64] = [:]
    var pageCount = 0

    /// The `lastSync` to send. The engines know only the device's clock.
    func usable(at deviceMilliseconds: Int64) -> Int64? {
        guard let lastSync, lastSync <= deviceMilliseconds,
            deviceMilliseconds - lastSync < Self.dayMilliseconds
        else { return nil }
        return lastSync
    }
}
