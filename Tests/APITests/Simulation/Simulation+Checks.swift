import JSON

/// What must hold, at every moment and in the end.
extension Simulation {
    /// Holds answers against the reference's.
    func check(_ requests: [ReferenceServer.Request], _ answers: [JSONValue]) throws {
        counts.mutations += requests.count
        var stamps: [(change: Int, stamp: Int64)] = []
        for (index, expected) in reference.answers(to: requests).enumerated() {
            let (request, answer) = (requests[index], answers[index])
            let error = answer["errors"]?[0]
            let shown = error?["data"] ?? .null
            let found: Bool
            switch expected {
            case .item(let row):
                guard error == nil, let stored = answer["data"]?["\(request.kind.rawValue)Note"], !stored.isNull else {
                    throw TestFailure("\(request) was answered \(answer), not \(expected)")
                }
                let item = try verified(stored)
                found = row.isTold(as: item)
                stamps.append((row.change, item["_lastChangedAt"]?.intValue ?? -1))
            case .conditionFailed(let row):
                found =
                    try error?["errorType"] == "ConditionalCheckFailedException"
                    && (row?.isTold(as: verified(shown)) ?? shown.isNull)
            case .conflict(let row):
                counts.conflicts += 1
                found = try error?["errorType"] == "ConflictUnhandled" && row.isTold(as: verified(shown))
            case .conflictError: found = error?["errorType"] == "ConflictError"
            }
            guard found, (answer["errors"]?.arrayValue?.count ?? 0) <= 1 else {
                throw TestFailure("\(request) was answered \(answer), not \(expected)")
            }
        }
        for (_, stamp) in stamps.sorted(by: { $0.change < $1.change }) {
            guard stamp >= lastStamp else { throw TestFailure("a stamp of \(stamp) behind \(lastStamp)") }
            lastStamp = stamp
        }
    }

    /// The item of an event.
    func event(_ payload: String, as kind: ReferenceServer.Kind) throws -> Fields {
        counts.events += 1
        let answer = try JSONReader.read(payload)
        guard let data = answer["data"]?.objectValue, answer["errors"] == nil, data.keys.count == 1,
            let value = data.first?.value
        else { throw TestFailure("an event that no engine decodes: \(payload)") }
        let item = try verified(value)
        guard let id = item["id"]?.stringValue, let version = item["_version"]?.intValue,
            reference.row(id, version: version)?.madeBy == kind
        else { throw TestFailure("\(payload) came as a \(kind)") }
        return item
    }

    /// An item as it was received, which must be what was stored under its version.
    func verified(_ value: JSONValue) throws -> Fields {
        guard let object = value.objectValue else { throw TestFailure("no item: \(value)") }
        var item: Fields = [:]
        for (name, value) in object where name != "__typename" { item[name] = value }
        guard let id = item["id"]?.stringValue, let version = item["_version"]?.intValue,
            item["_lastChangedAt"]?.intValue != nil, item["updatedAt"]?.stringValue != nil,
            item["createdAt"]?.stringValue != nil,
            let row = reference.row(id, version: version), row.isTold(as: item)
        else {
            throw TestFailure("\(value) was never stored")
        }
        return item
    }

    /// The server has what the reference has, and every device what the server has of its shelf.
    func compare() throws {
        var stored: [String: Fields] = [:]
        for id in reference.history.keys {
            let item = try ask([DeviceRequest.get(id, by: .swift)])[0]["data"]?["getNote"] ?? .null
            guard try verified(item)["_version"]?.intValue == reference.current(id)?.version else {
                throw TestFailure("the server has \(item), not \(String(describing: reference.current(id)))")
            }
            stored[id] = try verified(item)
        }
        for link in links {
            let device = link.device
            for (id, item) in stored where device.wants(item) {
                let isDeleted = item["_deleted"]?.boolValue == true
                guard device.items[id] == (isDeleted ? nil : item) else {
                    throw TestFailure(
                        "\(device.name) (\(device.engine)) has \(device.items[id] ?? [:]), the server \(item)")
                }
                let known = device.items[id]?["_version"]?.intValue
                guard isDeleted || device.engine == .javaScript || device.versions[id] == known else {
                    throw TestFailure("\(device.name) takes \(id) for version \(device.versions[id] ?? 0)")
                }
            }
            for id in device.items.keys where stored[id] == nil {
                throw TestFailure("\(device.name) has \(id), which the server has not")
            }
        }
    }
}

extension JSONValue {
    subscript(index: Int) -> JSONValue? {
        guard let elements = arrayValue, elements.indices.contains(index) else { return nil }
        return elements[index]
    }
}
