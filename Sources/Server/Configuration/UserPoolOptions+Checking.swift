import JSON
import UserPools

extension UserPoolOptions {
    /// Reports what is wrong with the pools, each problem at its place.
    func checkPools(_ file: ConfigurationSection, _ functions: FunctionList) {
        var ids: Set<String> = []
        var clientIDs: Set<String> = []
        var hosts: Set<String> = []
        for (object, path) in zip(pools, poolPaths) {
            let reader = SettingsReader(object)
            let pool = UserPool(id(of: object), reader, isConfiguration: true)
            if !UserPools.isUserPoolID(pool.id) {
                file.reportPath(
                    path + ["id"],
                    "A user pool's id is a region, '_' and letters and digits, such as us-east-1_Ab3dE6gHi, and not \"\(pool.id)\"."
                )
            }
            report(reader.problems, file, path)
            if !ids.insert(pool.id).inserted {
                file.reportPath(
                    path + ["id"], "Two user pools have the same id, \(pool.id).",
                    hint: "Give each its own 'id', or its own 'name', of which an id is made.")
            }
            for (index, host) in pool.hosts.enumerated() where !Self.isHostName(host) {
                file.reportPath(path + ["hosts", String(index)], "\"\(host)\" is no host name.", hint: Self.hostHint)
            }
            if let domain = pool.domain, !Self.isHostName(domain) {
                file.reportPath(path + ["domain"], "\"\(domain)\" is no host name.", hint: Self.hostHint)
            }
            for (index, host) in pool.hosts.enumerated() where !hosts.insert(host.lowercased()).inserted {
                file.reportPath(
                    path + ["hosts", String(index)], "Two user pools have the host \(host).",
                    hint: "Remove it from one of them.")
            }
            if let domain = pool.domain, !hosts.insert(domain.lowercased()).inserted {
                file.reportPath(
                    path + ["domain"], "Two user pools have the domain \(domain).", hint: "Give each its own.")
            }
            for (place, function) in UserPools.functions(of: pool)
            where functions.url(of: function) == nil && !functionsWithoutURL.contains(function) {
                file.reportPath(
                    path + place, "There is no function \(function).",
                    hint: "Give its URL in 'functions', or name a URL here.")
            }
            checkClients(of: pool, object, file, path, &clientIDs)
        }
    }

    private static let hostHint = "Write it as auth.example.com: without a scheme, a port, a path or a wildcard."

    private static func isHostName(_ text: String) -> Bool {
        CertificateNames.isName(text) && !text.hasPrefix("*") && !text.contains(":")
    }

    private func checkClients(
        of pool: UserPool, _ object: JSONObject, _ file: ConfigurationSection, _ path: [String],
        _ ids: inout Set<String>
    ) {
        for (number, client) in (object["clients"]?.arrayValue ?? []).enumerated() {
            guard let client = client.objectValue else { continue }
            let reader = SettingsReader(client)
            let (id, place) = (clientID(client, pool.id, number), path + ["clients", String(number)])
            _ = UserPools.client(client, id: id, poolID: pool.id, in: pool, reader)
            report(reader.problems, file, place)
            if !ids.insert(id).inserted {
                file.reportPath(
                    place + ["id"], "Two clients have the same id, \(id).",
                    hint: "Give each its own 'id', or its own 'name', of which an id is made.")
            }
        }
    }

    /// Reports what is wrong with the identity pools.
    func checkIdentityPools(_ file: ConfigurationSection) {
        let userPools = (pools.isEmpty ? [Self.defaultPool] : pools).map { object in
            let id = id(of: object)
            let clients = (object["clients"]?.arrayValue ?? []).enumerated().compactMap { number, client in
                client.objectValue.map { clientID($0, id, number) }
            }
            return (id: id, clients: clients)
        }
        var ids: Set<String> = []
        for (object, path) in zip(identityPools, identityPoolPaths) {
            let reader = SettingsReader(object)
            let pool = IdentityPool(identityPoolID(object), reader, isConfiguration: true)
            report(reader.problems, file, path)
            if !UserPools.isIdentityPoolID(pool.id) {
                file.reportPath(
                    path + ["id"],
                    "An identity pool's id is a region, ':' and a UUID, such as us-east-1:01234567-89ab-4cde-8f01-23456789abcd, "
                        + "and not \"\(pool.id)\".")
            }
            if !ids.insert(pool.id).inserted {
                file.reportPath(
                    path + ["id"], "Two identity pools have the same id, \(pool.id).",
                    hint: "Give each its own 'id', or its own 'name', of which an id is made.")
            }
            for (poolID, client) in UserPools.providers(of: pool) {
                let member = object["userPools"] == nil ? "cognitoIdentityProviders" : "userPools"
                guard let known = userPools.first(where: { $0.id == poolID }) else {
                    file.reportPath(
                        path + [member], "There is no user pool \(poolID).",
                        hint: "The user pools are \(userPools.map(\.id).joined(separator: ", ")).")
                    continue
                }
                if let client, !known.clients.contains(client) {
                    file.reportPath(
                        path + [member], "The user pool \(poolID) has no client \(client).",
                        hint: "Its clients are \(known.clients.joined(separator: ", ")).")
                }
            }
        }
    }

    private func report(_ problems: [SettingsReader.Problem], _ file: ConfigurationSection, _ path: [String]) {
        // A secret that cannot be read has been reported: what is wrong without it would contradict that.
        for problem in problems where !unreadableSecrets.contains(path + problem.path) {
            file.reportPath(path + problem.path, problem.message, hint: problem.hint)
        }
    }
}

extension UserPoolOptions {
    /// The hosts of the pools and of `publicURL`.
    var hosts: [String] {
        let ofPools = pools.flatMap { object -> [String] in
            let pool = UserPool(id(of: object), SettingsReader(object), isConfiguration: true)
            return pool.hosts + (pool.domain.map { [$0] } ?? [])
        }
        let authority = publicURL?.split(separator: "/", omittingEmptySubsequences: false).dropFirst(2).first
        return ofPools + (authority.map { [String($0.prefix { $0 != ":" })] } ?? [])
    }
}
