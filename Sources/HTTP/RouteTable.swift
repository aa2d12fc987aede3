/// The routes of a server, read once, and found for a request by its host, path, method and target. A search allocates
/// nothing. Routes are known by their place in the list that the table was made of.
///
/// Of several patterns that a request fits, the more exact one is taken: a host before a suffix and a longer suffix
/// before a shorter one, both before any host; of paths a literal segment before a parameter, and that before a rest.
/// A host whose routes lack the path leaves the request to the next. The table of several services is made of their
/// lists, one after the other.
public struct RouteTable: Sendable {
    /// The routes of one path.
    public final class Resource: Sendable {
        fileprivate struct Rule: Sendable {
            let route: Int
            let methods: MethodSet
            let target: [UInt8]?
        }

        fileprivate let path: PathPattern
        /// Those with a target first.
        fileprivate let rules: [Rule]
        fileprivate let hasTargets: Bool
        /// The routes, in their order.
        public let routes: [Int]
        /// All their methods.
        public let methods: [Method]

        fileprivate init(_ path: PathPattern, _ rules: [Rule]) {
            self.path = path
            self.rules = rules.filter { $0.target != nil } + rules.filter { $0.target == nil }
            hasTargets = rules.contains { $0.target != nil }
            routes = rules.map(\.route)
            methods = rules.reduce(into: []) { methods, rule in
                for method in rule.methods.methods where !methods.contains(method) { methods.append(method) }
            }
        }
    }

    /// What was found.
    public enum Match: Sendable {
        case route(Int, RouteParameters)
        /// The path has routes, but none takes the method.
        case wrongMethod(Resource)
        /// The path has routes for the method, but for other targets.
        case unknownTarget(Resource)
        case unknownPath
    }

    /// The routes of one host pattern. A class: to look into it costs one reference.
    fileprivate final class Host: Sendable {
        /// In lower case; of a suffix, with its dot. Empty for any host.
        let name: [UInt8]
        let isSuffix: Bool
        /// Resources of paths without parameters, by the length of the path.
        let literals: [Resource]
        /// By length, the first of those that are as long or longer.
        let literalStarts: [Int]
        /// The resources of other paths, the more exact ones first.
        let patterns: [Resource]

        init(_ pattern: String, _ rulesByPath: [String: [Resource.Rule]]) {
            isSuffix = pattern.hasPrefix("*.")
            name = Array(pattern.utf8.dropFirst(isSuffix ? 1 : 0))
            precondition(!name.contains(ASCII.asterisk), "a host is a name, or '*.' and a suffix: \(pattern)")
            let resources = rulesByPath.map { Resource(PathPattern($0.key), $0.value) }
            let literals = resources.filter(\.path.isLiteral).sorted { $0.path.literalCount < $1.path.literalCount }
            self.literals = literals
            literalStarts = (0..<(literals.last?.path.literalCount ?? -1) + 2).map { count in
                literals.firstIndex { $0.path.literalCount >= count } ?? literals.count
            }
            patterns = resources.filter { !$0.path.isLiteral }.sorted { $0.path.precedes($1.path) }
        }
    }

    /// The more exact ones first.
    private let hosts: [Host]

    /// A table of these routes. A request that two of them fit equally well is a mistake in the program.
    public init(_ routes: [(pattern: RoutePattern, methods: [Method])]) {
        var rulesByPath: [String: [String: [Resource.Rule]]] = [:]
        for (index, (pattern, methods)) in routes.enumerated() {
            let rule = Resource.Rule(
                route: index, methods: MethodSet(methods), target: pattern.target.map { Array($0.utf8) })
            let rules = rulesByPath[pattern.host?.lowercased() ?? "", default: [:]][pattern.path, default: []]
            for other in rules {
                precondition(
                    other.target != rule.target || !methods.contains(where: other.methods.contains),
                    "two routes take the same requests: \(pattern.path)")
            }
            rulesByPath[pattern.host?.lowercased() ?? "", default: [:]][pattern.path] = rules + [rule]
        }
        hosts = rulesByPath.map { Host($0.key, $0.value) }.sorted { $0.precedes($1) }
    }

    /// The route for a request.
    public func match(_ request: Request) -> Match {
        unsafe request.withPath { path in
            for host in hosts {
                guard let prefixCount = host.matches(request) else { continue }
                var parameters = RouteParameters()
                guard let resource = unsafe host.resource(path, &parameters) else { continue }
                parameters.hostPrefixCount = prefixCount
                return resource.match(request, parameters)
            }
            return .unknownPath
        }
    }
}

extension RouteTable.Resource {
    fileprivate func match(_ request: Request, _ parameters: RouteParameters) -> RouteTable.Match {
        guard hasTargets else {
            for index in rules.indices where rules[index].methods.contains(request.method) {
                return .route(rules[index].route, parameters)
            }
            return .wrongMethod(self)
        }
        var takesMethod = false
        let route = unsafe request.withHeader("x-amz-target") { target -> Int? in
            for rule in rules where rule.methods.contains(request.method) {
                takesMethod = true
                guard let own = rule.target else { return rule.route }
                if let target = unsafe target, unsafe target.elementsEqual(own) { return rule.route }
            }
            return nil
        }
        if let route { return .route(route, parameters) }
        return takesMethod ? .unknownTarget(self) : .wrongMethod(self)
    }
}

extension RouteTable.Host {
    fileprivate func precedes(_ other: RouteTable.Host) -> Bool {
        if name.isEmpty != other.name.isEmpty { return other.name.isEmpty }
        if isSuffix != other.isSuffix { return other.isSuffix }
        return name.count > other.name.count
    }

    /// Whether the request's host is one of the pattern: nil if not, else the bytes of it before the suffix.
    ///
    /// Memory safety: `prefixCount` is not negative, so `prefixCount + index` is below the count of the host without its port.
    fileprivate func matches(_ request: Request) -> Int? {
        guard !name.isEmpty else { return 0 }
        return unsafe request.withHeader(.host) { host in
            guard let host = unsafe host else { return nil }
            let prefixCount = unsafe host.countWithoutPort - name.count
            guard isSuffix ? prefixCount > 0 : prefixCount == 0 else { return nil }
            for index in name.indices where unsafe host[prefixCount + index].lowercased != name[index] { return nil }
            return prefixCount
        }
    }

    fileprivate func resource(
        _ path: UnsafeRawBufferPointer, _ parameters: inout RouteParameters
    ) -> RouteTable.Resource? {
        if path.count + 1 < literalStarts.count {
            for index in literalStarts[path.count]..<literalStarts[path.count + 1] {
                let resource = literals[index]
                if unsafe resource.path.matches(path, &parameters) { return resource }
            }
        }
        for resource in patterns {
            if unsafe resource.path.matches(path, &parameters) {
                parameters.names = resource.path.names
                return resource
            }
            parameters.removeAll()
        }
        return nil
    }
}

extension UnsafeRawBufferPointer {
    /// The bytes before a port. A colon within brackets is an IPv6 address's.
    ///
    /// Memory safety: `index - 1` is read only while `index` is above zero.
    fileprivate var countWithoutPort: Int {
        var index = count
        while index > 0, unsafe self[index - 1].isDigit { index -= 1 }
        return unsafe index > 0 && self[index - 1] == ASCII.colon ? index - 1 : count
    }
}
