/// The access rules of a bucket. The most specific path that matches a key decides for every caller: what it does not
/// allow is denied, even if a shorter path allows it. Rules with the same path are combined. Operators may do
/// everything.
///
/// A list is authorized by its prefix alone, like IAM's condition on `s3:prefix`: a caller who may list `photos/` also
/// sees the keys of `photos/private/`.
/// (reference: storage, "Access")
public struct AccessRules: Sendable, Hashable {
    private struct Path: Sendable, Hashable {
        var path: AccessPath
        var grants: [AccessPrincipal: Set<AccessAction>]
    }

    private var paths: [Path] = []
    private let anonymousPrefixes: [[UInt8]]

    /// Rules, in any order.
    ///
    /// - Parameter anonymousPrefixes: Every caller may get the objects whose keys begin with one of these, whatever the rules say.
    public init(_ rules: [AccessRule] = [], anonymousPrefixes: [String] = []) {
        self.anonymousPrefixes = anonymousPrefixes.map { Array($0.utf8) }
        for rule in rules {
            let index = paths.firstIndex { $0.path == rule.path }
            if let index {
                paths[index].grants[rule.principal, default: []].formUnion(rule.actions)
            } else {
                paths.append(Path(path: rule.path, grants: [rule.principal: rule.actions]))
            }
        }
    }

    /// Whether a caller may do something with an object; for `list`, with the keys of a prefix.
    public func allow(_ action: AccessAction, on key: String, for caller: BucketCaller) -> Bool {
        if caller.isOperator { return true }
        let key = Array(key.utf8)
        if action == .get, anonymousPrefixes.contains(where: { key.starts(with: $0) }) { return true }
        var best: (path: Path, match: AccessPath.Match)?
        for path in paths {
            guard let match = path.path.match(key) else { continue }
            if let best,
                (match.byteCount, path.path.textByteCount) < (best.match.byteCount, best.path.path.textByteCount)
            {
                continue
            }
            best = (path, match)
        }
        guard let best else { return false }
        return Self.principals(of: caller, best.match).contains { best.path.grants[$0]?.contains(action) ?? false }
    }

    /// Whether a caller may do something with any object at all.
    func allowSomething(for caller: BucketCaller) -> Bool {
        if caller.isOperator { return true }
        let principals: [AccessPrincipal] =
            switch caller {
            case .anonymous, .operator: [.everyone]
            case .guest: [.everyone, .guest]
            case .authenticated: [.everyone, .authenticated, .owner]
            case .group(let name, _): [.everyone, .group(name)]
            }
        return paths.contains { path in principals.contains { path.grants[$0]?.isEmpty == false } }
    }

    private static func principals(of caller: BucketCaller, _ match: AccessPath.Match) -> [AccessPrincipal] {
        switch caller {
        case .anonymous, .operator: [.everyone]
        case .guest: [.everyone, .guest]
        case .authenticated(let id):
            match.identity?.elementsEqual(id.utf8) ?? false
                ? [.everyone, .authenticated, .owner] : [.everyone, .authenticated]
        case .group(let name, _): [.everyone, .group(name)]
        }
    }
}
