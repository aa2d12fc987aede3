import JSON

extension AmplifyProject {
    /// What the project is and what is served of it, a line for each category that it has; nothing in it is secret.
    ///
    /// - Parameters:
    ///   - api: What is said of the GraphQL API beside its ids, such as "version 2, 1 model, user pool".
    public func bannerLines(api words: String) -> [String] {
        var rows: [(category: String, name: String, text: String)] = []
        let ids = hasCloudIDs ? "ids of the cloud kept" : "ids invented"
        if let api { rows.append(("api", api, "\(words); \(ids)")) }
        if let auth { rows.append(("auth", auth, authWords)) }
        rows += storageRows
        if let analytics = settings.value["analytics"] {
            rows.append(
                ("analytics", analytics["name"]?.stringValue ?? "", analytics["appId"]?.stringValue ?? ""))
        }
        let names = rows.map { Self.shortened($0.name) }
        let width = names.map(\.count).max() ?? 0
        let others = environments.isEmpty ? "" : "    --env NAME: \(environments.joined(separator: ", "))"
        let place = prefix.isEmpty ? "" : ", found in \(prefix)"
        return ["\(title)\(place)\(others)"]
            + zip(rows, names).map { row, name in
                "  \(Self.padded(row.category, 9)) \(Self.padded(name, width)) \(row.text)"
            }
    }

    private var authWords: String {
        let pool = settings.value["userPool"]
        let clients = pool?["clients"]?.arrayValue?.count ?? 0
        let groups = (pool?["groups"]?.arrayValue ?? []).compactMap { $0["name"]?.stringValue }
        let list = Self.list(groups)
        return [
            (pool ?? settings.value["identityPool"])?["id"]?.stringValue,
            pool == nil ? "no user pool" : clients == 1 ? "1 client" : "\(clients) clients",
            groups.isEmpty ? nil : "groups \(list)",
        ].compactMap(\.self).joined(separator: ", ")
    }

    private var storageRows: [(category: String, name: String, text: String)] {
        guard let storage = settings.value["storage"] else { return [] }
        let buckets = storage["buckets"]?.arrayValue ?? [storage]
        return zip(buckets, bucketNames).prefix(3).map { bucket, name in
            func access(_ key: String) -> String {
                let words = ["READ": "read", "CREATE_AND_UPDATE": "write", "DELETE": "delete"]
                let found = (bucket[key]?.arrayValue ?? []).compactMap(\.stringValue).map { words[$0] ?? $0 }
                return found.isEmpty ? "nothing" : found.joined(separator: " ")
            }
            let groups = bucket["groupAccess"]?.objectValue?.count ?? 0
            let text =
                "guests \(access("guestAccess")), users \(access("authAccess"))"
                + (groups == 0 ? "" : groups == 1 ? ", 1 group" : ", \(groups) groups")
            return ("storage", name, text)
        } + (buckets.count > 3 ? [("storage", "and \(buckets.count - 3) more", "")] : [])
    }

    /// The first few names.
    private static func list(_ names: [String]) -> String {
        let shown = names.prefix(4).map(shortened).joined(separator: ", ")
        return names.count > 4 ? "\(shown) and \(names.count - 4) more" : shown
    }

    private static func shortened(_ name: String) -> String { name.count > 24 ? "\(name.prefix(23))…" : name }

    private static func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }
}
