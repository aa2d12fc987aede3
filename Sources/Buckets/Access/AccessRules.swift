/// The access rules of a bucket. The most specific path that matches a key decides for every caller: what it does not
/// allow is denied, even if a shorter path allows it. Rules with paths that match the same keys are combined. Two things do not
/// depend on the rules: anyone may get the objects under an anonymous prefix, and operators may do everything.
///
/// A list is authorized by its prefix alone, like IAM's condition on `s3:prefix`: a caller who may list `photos/` also
/// sees the keys of `photos/private/`.
/// (reference: storage, "Access")
public struct AccessRules: Sendable, Hashable {
    private struct Path: Sendable, Hashable {
        /// Without placeholders.
        var pattern: AccessPath
        var grants: [AccessPrincipal: Set<AccessAction>] = [:]
        /// What owners may do, by the path whose placeholders have their identity.
        var ownerGrants: [AccessPath: Set<AccessAction>] = [:]
    }

    private var paths: [Path] = []
    private let anonymousPrefixes: [[UInt8]]

    /// Rules, in any order.
    ///
    /// - Parameter anonymousPrefixes: Every caller may get the objects whose keys begin with one of these, whatever the rules say.
    public init(_ rules: [AccessRule] = [], anonymousPrefixes: [String] = []) {
        self.anonymousPrefixes = anonymousPrefixes.map { Array($0.utf8) }
        for rule in rules {
            let pattern = rule.path.pattern
            var index = paths.endIndex
            if let present = paths.firstIndex(where: { $0.pattern == pattern }) {
                index = present
            } else {
                paths.append(Path(pattern: pattern))
            }
            if rule.principal == .owner {
                paths[index].ownerGrants[rule.path, default: []].formUnion(rule.actions)
            } else {
                paths[index].grants[rule.principal, default: []].formUnion(rule.actions)
            }
        }
    }

    /// Whether a caller may do something with an object; for `list`, with the keys of a prefix.
    public func allows(_ action: AccessAction, on key: String, for caller: BucketCaller) -> Bool {
        if caller.isOperator { return true }
        if action == .get, anonymousPrefixes.contains(where: { key.utf8.starts(with: $0) }) { return true }
        let key = Array(key.utf8)
        var best: (path: Path, match: AccessPath.Match)?
        for path in paths {
            guard let match = path.pattern.match(key) else { continue }
            if let best,
                (match.byteCount, path.pattern.textByteCount)
                    < (best.match.byteCount, best.path.pattern.textByteCount)
            {
                continue
            }
            best = (path, match)
        }
        guard let path = best?.path else { return false }
        if let principal = Self.principal(of: caller), path.grants[principal]?.contains(action) ?? false { return true }
        guard case .authenticated(let id) = caller else { return false }
        return path.ownerGrants.contains { ownerPath, actions in
            actions.contains(action) && ownerPath.match(key)?.isOwned(by: id) ?? false
        }
    }

    /// Whether a caller may do something with an object of some key.
    func allowSomewhere(_ action: AccessAction, for caller: BucketCaller) -> Bool {
        if caller.isOperator { return true }
        let isOwner = if case .authenticated = caller { true } else { false }
        let principal = Self.principal(of: caller)
        return paths.contains { path in
            principal.flatMap { path.grants[$0] }?.contains(action) ?? false
                || isOwner && path.ownerGrants.values.contains { $0.contains(action) }
        }
    }

    /// The principal that a caller is for every key; nil for callers without rules.
    private static func principal(of caller: BucketCaller) -> AccessPrincipal? {
        switch caller {
        case .anonymous, .operator: nil
        case .guest: .guest
        case .authenticated: .authenticated
        case .group(let name, _): .group(name)
        }
    }
}
